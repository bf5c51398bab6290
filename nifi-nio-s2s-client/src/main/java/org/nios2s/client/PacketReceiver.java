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
package org.nios2s.client;

/** Takes pulled packets. Called on a virtual thread of its transaction, which may block. */
@FunctionalInterface
public interface PacketReceiver {
    /**
     * Takes one packet. Only when this returned for every packet of the transaction, the peer is told that it may forget
     * them.
     *
     * @param packet attributes and content; its content can be read until this returns
     * @throws Exception to refuse: the transaction fails, and the peer keeps all its packets
     */
    void receive(ReceivedPacket packet) throws Exception;
}
