// SPDX-License-Identifier: Apache-2.0
/**
 * On what it is said: connections, their pools, their handshake, and what any attempt has in common.
 */
package org.nios2s.client.internal.connection;
