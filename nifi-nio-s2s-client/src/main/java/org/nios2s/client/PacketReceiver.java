// SPDX-License-Identifier: Apache-2.0
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
