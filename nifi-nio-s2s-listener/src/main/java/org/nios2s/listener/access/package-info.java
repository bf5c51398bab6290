// SPDX-License-Identifier: Apache-2.0
/**
 * The log of connections and transactions, for an audit.
 *
 * <p>The steps call it, on IO workers. It knows no other room.
 */
package org.nios2s.listener.access;
