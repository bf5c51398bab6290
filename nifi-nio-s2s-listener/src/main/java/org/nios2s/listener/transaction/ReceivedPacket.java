/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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
