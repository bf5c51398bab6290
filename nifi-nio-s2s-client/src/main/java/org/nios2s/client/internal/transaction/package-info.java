// SPDX-License-Identifier: Apache-2.0
/**
 * Transactions: attempts of pushes, pulls and peer lists, and their exchanges of messages.
 */
package org.nios2s.client.internal.transaction;
