// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.nios2s.wire.HandshakeProperty;
import org.nios2s.wire.ResponseCode;

/** The server's side of an output port: what it offers, and what is delivered. Any thread; guarded by itself. */
final class ServedOutput extends ServedPort {
    private final Deque<StoredPacket> offered = new ArrayDeque<>();
    private final List<StoredPacket> delivered = new ArrayList<>();
    private final ClientView client;

    ServedOutput(final ClientView client) {
        this.client = client;
    }

    synchronized void offer(final StoredPacket... packets) {
        Collections.addAll(offered, packets);
    }

    ClientView client() {
        return client;
    }

    List<StoredPacket> delivered() {
        client.awaitEnds();
        synchronized (this) {
            return List.copyOf(delivered);
        }
    }

    List<StoredPacket> remaining() {
        client.awaitEnds();
        synchronized (this) {
            return List.copyOf(offered);
        }
    }

    @Override
    void release() {
        // Nothing is held here.
    }

    @Override
    public void receive(final Conversation peer) throws IOException {
        throw new IOException("An output port takes no packets");
    }

    @Override
    public void send(final Conversation peer) throws IOException {
        final List<StoredPacket> packets =
                next(peer.limit(HandshakeProperty.BATCH_COUNT), peer.limit(HandshakeProperty.BATCH_SIZE));
        if (packets.isEmpty()) {
            peer.sayAtLast(ResponseCode.NO_MORE_DATA);
            return;
        }
        client.pullBegins(peer.commsId());
        boolean taken = false;
        try {
            final String checksum = peer.sayPackets(packets);
            peer.expect(ResponseCode.CONFIRM_TRANSACTION, checksum);
            peer.say(ResponseCode.CONFIRM_TRANSACTION);
            peer.expect(ResponseCode.TRANSACTION_FINISHED);
            taken = true;
        } finally {
            settle(packets, taken);
            peer.answered();
            client.pullEnds(peer.commsId());
        }
    }

    /** @return at least one packet, if there is any */
    private synchronized List<StoredPacket> next(final long maxPackets, final long maxBytes) {
        final List<StoredPacket> batch = new ArrayList<>();
        long bytes = 0;
        while (!offered.isEmpty()
                && (maxPackets == 0 || batch.size() < maxPackets)
                && (maxBytes == 0 || bytes < maxBytes)) {
            final StoredPacket packet = offered.remove();
            batch.add(packet);
            bytes += packet.content().length;
        }
        return batch;
    }

    private synchronized void settle(final List<StoredPacket> packets, final boolean taken) {
        if (taken) {
            delivered.addAll(packets);
        } else {
            for (int i = packets.size() - 1; i >= 0; i--) {
                offered.addFirst(packets.get(i));
            }
        }
    }
}
