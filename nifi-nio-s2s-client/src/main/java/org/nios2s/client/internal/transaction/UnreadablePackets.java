// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import org.nios2s.client.Packet;
import org.nios2s.client.TransactionException;

/** Decides about packets whose content can't be read, before anything of them is written. On an IO worker; never blocks. */
public interface UnreadablePackets {
    /** The transaction fails with the packet. */
    UnreadablePackets FAIL = (packet, failure) -> false;

    /** @return whether the transaction goes on without the packet */
    boolean leaveOut(Packet packet, TransactionException failure);
}
