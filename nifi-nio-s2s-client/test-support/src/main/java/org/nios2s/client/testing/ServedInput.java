// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import org.nios2s.wire.ResponseCode;

/** The server's side of an input port: what it has, and what the next transactions meet. Any thread; guarded by itself. */
final class ServedInput extends ServedPort {
    private final List<StoredPacket> received = new ArrayList<>();
    private boolean holding;
    private boolean losesNextAnswer;
    private boolean fullNext;

    synchronized List<StoredPacket> received() {
        return List.copyOf(received);
    }

    synchronized void loseNextAnswer() {
        losesNextAnswer = true;
    }

    synchronized void fullAfterNext() {
        fullNext = true;
    }

    synchronized void hold() {
        holding = true;
    }

    @Override
    synchronized void release() {
        holding = false;
        notifyAll();
    }

    @Override
    public void receive(final Conversation peer) throws IOException {
        final List<StoredPacket> packets = new ArrayList<>();
        final String checksum = peer.hearPackets(packets);
        awaitRelease();
        peer.say(ResponseCode.CONFIRM_TRANSACTION, checksum);
        peer.expect(ResponseCode.CONFIRM_TRANSACTION);
        peer.sayAtLast(take(packets));
    }

    private synchronized void awaitRelease() throws InterruptedIOException {
        try {
            while (holding) {
                wait();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Nobody interrupts a thread of this server");
        }
    }

    private synchronized ResponseCode take(final List<StoredPacket> packets) throws IOException {
        received.addAll(packets);
        final boolean full = fullNext;
        fullNext = false;
        if (losesNextAnswer) {
            losesNextAnswer = false;
            throw new EOFException("Loses the answer on demand");
        }
        return full ? ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL : ResponseCode.TRANSACTION_FINISHED;
    }

    @Override
    public void send(final Conversation peer) throws IOException {
        throw new IOException("An input port has no packets");
    }
}
