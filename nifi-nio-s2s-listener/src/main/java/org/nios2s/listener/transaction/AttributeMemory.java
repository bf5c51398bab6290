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

/** How much memory attributes take, about. Stateless; any thread. */
final class AttributeMemory {
    /** Of a packet without any: the map and what else stands for the packet. */
    private static final int PACKET_BYTES = 200;

    /** Of one attribute beyond the bytes of its name and value: map entry and two strings. */
    private static final int ATTRIBUTE_BYTES = 160;

    private AttributeMemory() {}

    /** @return bytes, estimated */
    static long of(final Map<String, String> attributes) {
        long bytes = PACKET_BYTES;
        for (final Map.Entry<String, String> attribute : attributes.entrySet()) {
            bytes += ATTRIBUTE_BYTES
                    + attribute.getKey().length()
                    + attribute.getValue().length();
        }
        return bytes;
    }
}
