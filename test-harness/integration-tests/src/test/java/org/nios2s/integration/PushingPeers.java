// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.peers.TestPeer;

/**
 * Peers over RAW that push a FlowFile in a transaction each, again and again, until they are told to end or hear anything but
 * that it is committed. Each has a thread of its own; for one thread.
 */
final class PushingPeers implements AutoCloseable {

    private static final byte[] CONTENT = {1, 2, 3};
    private static final long PATIENCE_SECONDS = 60;

    private final NifiNode nifi;
    private final String port;
    private final Load load;
    private final CountDownLatch over = new CountDownLatch(1);
    private final Queue<Long> acknowledged = new ConcurrentLinkedQueue<>();
    private final List<Future<Ending>> peers = new ArrayList<>();
    private final ExecutorService threads;

    /**
     * What the peers do together.
     *
     * @param peers how many there are
     * @param perSecond transactions; 0 without a pause
     */
    record Load(int peers, int perSecond) {
        static final Load NONE = new Load(0, 0);

        private long nanosBetween() {
            if (perSecond == 0) {
                return 0;
            }
            return TimeUnit.SECONDS.toNanos(peers) / perSecond;
        }
    }

    /** How a peer's connection ended. */
    enum Ending {
        /** It was told to. */
        OVER,
        /** The other end closed it. */
        CLOSED,
        /** The other end said something else than that the transaction is committed. */
        REFUSED,
        /** The other end said nothing. */
        UNANSWERED
    }

    private PushingPeers(final NifiNode nifi, final String port, final Load load) {
        this.nifi = nifi;
        this.port = port;
        this.load = load;
        threads = Executors.newFixedThreadPool(Math.max(1, load.peers));
    }

    static PushingPeers start(final NifiNode nifi, final String port, final Load load) throws IOException {
        final PushingPeers pushing = new PushingPeers(nifi, port, load);
        final List<TestPeer> connected = new ArrayList<>();
        try {
            while (connected.size() < load.peers) {
                connected.add(Peers.atPort(nifi, port));
            }
        } catch (final IOException e) {
            for (final TestPeer peer : connected) {
                peer.close();
            }
            pushing.close();
            throw e;
        }
        for (int number = 0; number < load.peers; number++) {
            final TestPeer peer = connected.get(number);
            final long firstNanos = System.nanoTime() + load.nanosBetween() * number / load.peers;
            pushing.peers.add(pushing.threads.submit(() -> pushing.push(peer, firstNanos)));
        }
        return pushing;
    }

    private Ending push(final TestPeer peer, final long firstNanos) throws InterruptedException {
        long nextNanos = firstNanos;
        try (peer) {
            while (!over.await(nextNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                if (!isCommitted(peer.push(Map.of(), CONTENT))) {
                    return Ending.REFUSED;
                }
                acknowledged.add(System.nanoTime());
                nextNanos = Math.max(nextNanos + load.nanosBetween(), System.nanoTime());
            }
            return Ending.OVER;
        } catch (final SocketTimeoutException e) {
            return Ending.UNANSWERED;
        } catch (final IOException e) {
            return Ending.CLOSED;
        }
    }

    private static boolean isCommitted(final ResponseCode code) {
        return code == ResponseCode.TRANSACTION_FINISHED
                || code == ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL;
    }

    /** How many transactions the peers know to be committed. */
    int acknowledged() {
        return acknowledged.size();
    }

    /** How long after a moment each of the transactions was acknowledged that were acknowledged behind it. */
    List<Long> acknowledgedNanosAfter(final long momentNanos) {
        return acknowledged.stream()
                .map(nanos -> nanos - momentNanos)
                .filter(after -> after > 0)
                .sorted()
                .toList();
    }

    /** Waits until all have ended: how. */
    List<Ending> endings() throws InterruptedException, ExecutionException, TimeoutException {
        final List<Ending> endings = new ArrayList<>();
        for (final Future<Ending> peer : peers) {
            endings.add(peer.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
        return endings;
    }

    /** Tells them to end, and waits for the transactions under way. */
    @Override
    public void close() {
        over.countDown();
        threads.close();
    }
}
