// SPDX-License-Identifier: Apache-2.0
/**
 * With which peer, and again? Calls, and what chooses their peers.
 */
package org.nios2s.client.internal.call;
