// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import java.util.Iterator;
import java.util.concurrent.atomic.AtomicBoolean;
import org.nios2s.client.Packet;

/**
 * A caller's iterator of packets, which one attempt alone may ask. Any thread.
 *
 * <p>An attempt takes the iterator before its feed's thread starts, and thus before the attempt can fail: the call that
 * asks then whether it may be repeated sees that the packets are gone.
 */
public final class OneTimePackets {
    private final Iterator<Packet> packets;
    private final AtomicBoolean taken = new AtomicBoolean();

    public OneTimePackets(final Iterator<Packet> packets) {
        this.packets = packets;
    }

    /** @return whether no attempt has the packets */
    public boolean isUntouched() {
        return !taken.get();
    }

    Iterator<Packet> take() {
        if (taken.getAndSet(true)) {
            throw new IllegalStateException("Another attempt has taken the packets");
        }
        return packets;
    }
}
