// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.opening;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.List;
import org.apache.nifi.remote.PeerDescription;
import org.apache.nifi.remote.PeerStatus;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.wire.ModifiedUtf8;

/**
 * The peer is told which peers there are. Lives on the connection's IO worker, with the question to the cluster on a
 * thread for blocking tasks.
 */
record PeerListStep(PeerConnection connection, PeerList peers) implements WaitingStep {
    @Override
    public Step begin() {
        final PeerDescription asking = connection.description();
        return runBlocking(connection.listener().handshakeChecks(), () -> peers.entriesFor(asking), this::answer);
    }

    private Step answer(final List<PeerStatus> entries) throws IOException {
        final ByteBuf message = connection.allocate(Integer.BYTES).writeInt(entries.size());
        for (final PeerStatus entry : entries) {
            ModifiedUtf8.write(message, entry.getPeerDescription().getHostname());
            message.writeInt(entry.getPeerDescription().getPort());
            message.writeBoolean(entry.getPeerDescription().isSecure());
            message.writeInt(entry.getFlowFileCount());
        }
        connection.send(message);
        return connection.awaitRequest();
    }

    @Override
    public Patience patience() {
        return Patience.UNLIMITED;
    }

    @Override
    public boolean answersBeforeInputEnds() {
        return true;
    }
}
