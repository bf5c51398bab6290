// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.PeerDescription;
import org.nios2s.listener.doubt.Receipt;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.limits.Holder;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.PeerKey;
import org.nios2s.listener.limits.PeerTurn;
import org.nios2s.listener.limits.PortLimits.TransactionLease;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.limits.TestHolder;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.BufferedPush;
import org.nios2s.listener.transaction.CommitDeadline;
import org.nios2s.listener.transaction.Outcome;
import org.nios2s.listener.transaction.TransactionPeer;

/** Makes transactions that are complete, and keeps what became of them. Thread-safe. */
final class Transactions {
    private static final int PORT = 4711;

    private final MemoryBudget budget = new MemoryBudget(SharedResource.UNLIMITED, NanoClock.SYSTEM);
    private final SharedResource.Part places =
            new SharedResource("a place", SharedResource.UNLIMITED, 0, NanoClock.SYSTEM).commonPart();
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    private final List<Served> served = new CopyOnWriteArrayList<>();
    private final List<BufferedPush> made = new CopyOnWriteArrayList<>();
    private final EventExecutor worker;

    /**
     * The end of a transaction.
     *
     * @param transaction that ended
     * @param outcome that its peer hears of
     */
    record Served(BufferedPush transaction, Outcome outcome) {}

    Transactions() {
        this(ImmediateEventExecutor.INSTANCE);
    }

    Transactions(final EventExecutor worker) {
        this.worker = worker;
    }

    /** @return a transaction that both sides have confirmed, with one packet for each content */
    BufferedPush ready(final String identity, final String... contents) throws Exception {
        return ready(received(identity, contents));
    }

    /** Both sides have confirmed the transaction. */
    BufferedPush ready(final BufferedPush transaction) {
        return ready(transaction, CommitDeadline.NONE);
    }

    /** Both sides have confirmed the transaction, and its peer waits until then. */
    BufferedPush ready(final BufferedPush transaction, final CommitDeadline deadline) {
        transaction.ready(outcome -> served.add(new Served(transaction, outcome)), deadline, System.nanoTime());
        return transaction;
    }

    /** @return a transaction that is complete, but not yet confirmed */
    BufferedPush received(final String identity, final String... contents) throws Exception {
        final Holder holder = new TestHolder("peer");
        final TransactionLease hold =
                new TransactionLease(budget.common().open(holder), places.request(holder, () -> {}));
        final BufferedPush transaction = new BufferedPush(peer(identity), hold, allocator, Receipt.NONE);
        made.add(transaction);
        for (final String content : contents) {
            final ByteBuf bytes = Unpooled.copiedBuffer(content, StandardCharsets.UTF_8);
            transaction.packetBegins(
                    new HashMap<>(Map.of("uuid", "source-" + content, "name", content)), bytes.readableBytes());
            if (bytes.isReadable()) {
                transaction.content(bytes, bytes.readableBytes());
            }
            transaction.packetEnds(0);
        }
        hold.charge().add(transaction.bytes());
        return transaction;
    }

    private TransactionPeer peer(final String identity) {
        final TransactionPeer peer = mock(TransactionPeer.class, withSettings().stubOnly());
        when(peer.identity()).thenReturn(identity);
        when(peer.key()).thenReturn(new PeerKey("peer"));
        when(peer.turn()).thenReturn(new PeerTurn());
        when(peer.host()).thenReturn("peer.example");
        when(peer.remotePort()).thenReturn(PORT);
        when(peer.worker()).thenReturn(worker);
        when(peer.transitUri(any())).thenAnswer(invocation -> "nifi://sender.example/" + invocation.getArgument(0));
        when(peer.toPeer(any())).thenAnswer(invocation -> niFiPeer(identity, invocation.getArgument(0)));
        return peer;
    }

    private static Peer niFiPeer(final String identity, final Runnable interrupted) {
        return new Peer(
                new PeerDescription("peer.example", PORT, false),
                new SocketlessCommunicationsSession(identity, interrupted),
                "nifi://peer.example:" + PORT,
                "nifi://localhost:10443");
    }

    /** @return ends, in the order in which peers heard of them */
    List<Served> served() {
        return served;
    }

    /** Ends those that nobody has ended. */
    void endAll() {
        for (final BufferedPush transaction : made) {
            if (!transaction.abandon()) {
                transaction.complete(Outcome.failed(Kind.INTERNAL.fault("The test is over")));
            }
        }
    }

    /** @return bytes that transactions still hold */
    long held() {
        return budget.used()
                + allocator.metric().usedHeapMemory()
                + allocator.metric().usedDirectMemory();
    }
}
