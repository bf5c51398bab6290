// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import java.util.Map;

/**
 * A packet of an inbound transaction, complete. Immutable but for the attributes, which belong to whoever handles the
 * transaction.
 *
 * @param attributes as sent, mutable
 * @param offset of its content among the contents of the transaction, in bytes
 * @param length of its content, in bytes
 * @param transferMillis how long it took from its first byte to its last
 */
public record ReceivedPacket(Map<String, String> attributes, int offset, int length, long transferMillis) {}
