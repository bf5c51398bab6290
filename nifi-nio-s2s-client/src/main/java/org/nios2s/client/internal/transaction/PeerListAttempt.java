// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import io.netty.buffer.ByteBuf;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.connection.Attempt;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.ClientConnection;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.Exchange;
import org.nios2s.wire.ModifiedUtf8;
import org.nios2s.wire.ProtocolException;
import org.nios2s.wire.RequestType;

/** Asks a peer for the peers of its cluster. Lives on the connection's IO worker. */
final class PeerListAttempt extends Attempt implements Exchange {
    private static final int MOST_PEERS = 10_000;
    /** As of a name in the DNS. */
    private static final int LONGEST_HOST = 255;

    private static final int NUMBERS_BYTES = Integer.BYTES + 1 + Integer.BYTES;
    private static final int UNKNOWN = -1;

    private final CompletableFuture<Set<ListedPeer>> peers = new CompletableFuture<>();
    private final Set<ListedPeer> list = new HashSet<>();
    private ClientConnection connection;
    /** Nodes that are still to be told. */
    private int left = UNKNOWN;
    /** Of the node whose numbers have not arrived yet; null for none. */
    private String host;

    PeerListAttempt(final Endpoint port, final CallOptions options) {
        super(port, options);
    }

    /** @return completed with every node that takes RAW Site-to-Site */
    CompletableFuture<Set<ListedPeer>> peers() {
        return peers;
    }

    /** Whether a peer still tells its cluster's peers is nothing to wait for. */
    @Override
    protected boolean isAwaitedByClose() {
        return false;
    }

    @Override
    protected void run(final ClientConnection taken) {
        connection = taken;
        connection.begin(this);
        RequestType.REQUEST_PEER_LIST.write(connection.gather());
        connection.flush();
    }

    @Override
    public TransactionStep step() {
        return TransactionStep.REQUEST_PEER_LIST;
    }

    /** Takes each node as soon as it is there: a list that comes in pieces is read once, and is never held as bytes. */
    @Override
    public void read(final ByteBuf in) throws ProtocolException {
        if (left == UNKNOWN) {
            readCount(in);
        }
        while (left > 0 && readNode(in)) {
            left--;
        }
        if (left == 0) {
            connection.finish(this);
            succeed(0, 0, false);
            peers.complete(list);
        }
    }

    private void readCount(final ByteBuf in) throws ProtocolException {
        if (in.readableBytes() < Integer.BYTES) {
            return;
        }
        final int count = in.readInt();
        if (count < 0 || count > MOST_PEERS) {
            throw new ProtocolException("The peer claims a cluster of " + count + " nodes");
        }
        left = count;
    }

    /** @return whether all of it had arrived */
    private boolean readNode(final ByteBuf in) throws ProtocolException {
        if (host == null) {
            host = ModifiedUtf8.readIfComplete(in, LONGEST_HOST);
        }
        if (host == null || in.readableBytes() < NUMBERS_BYTES) {
            return false;
        }
        list.add(new ListedPeer(host, in.readInt(), in.readBoolean(), in.readInt()));
        host = null;
        return true;
    }

    @Override
    public void failed(final TransactionException failure) {
        fail(failure);
    }

    @Override
    protected void onFailure(final TransactionException failure) {
        peers.completeExceptionally(failure);
    }

    @Override
    protected void abandon(final TransactionException failure) {
        connection.end(failure);
        fail(failure);
    }
}
