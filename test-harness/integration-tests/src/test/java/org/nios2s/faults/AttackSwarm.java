// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The peers of an attack, on one selector of one thread of their own; every method may be called on any thread.
 */
final class AttackSwarm implements AutoCloseable {

    /** Few sockets are left half open at a time, so that the listener's backlog holds them. */
    private static final int CONNECTING_AT_ONCE = 500;

    /** So many peers from one address, 127.0.0.1, 127.0.0.2 and on: an address has 28,000 ports. */
    private static final int PEERS_PER_ADDRESS = 5_000;

    private static final int SMALL_RECEIVE_BUFFER = 4 * 1024;
    private static final int SCRATCH_BYTES = 64 * 1024;
    private static final long MEBIBYTE = 1024L * 1024;
    private static final int SELECT_MILLIS = 100;
    private static final int PIECES_PER_TURN = 16;
    private static final long BEFORE_RETURN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Attack attack;
    private final InetSocketAddress target;
    private final boolean fromOneAddress;
    private final boolean comesBack;
    private final Selector selector;
    private final Thread thread;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH_BYTES);
    private final Queue<Peer> toConnect = new ArrayDeque<>();
    private final PriorityQueue<Peer> pausing = new PriorityQueue<>(Comparator.comparingLong(peer -> peer.dueNanos));
    private final List<Peer> peers = new ArrayList<>();
    private final AtomicInteger connected = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicLong sentBytes = new AtomicLong();
    private int connecting;
    private volatile boolean over;

    private AttackSwarm(
            final Attack attack, final InetSocketAddress target, final boolean fromOneAddress, final boolean comesBack)
            throws IOException {
        this.comesBack = comesBack;
        this.attack = attack;
        this.target = target;
        this.fromOneAddress = fromOneAddress;
        selector = Selector.open();
        thread = Thread.ofPlatform().name("attack").daemon().unstarted(this::run);
    }

    /** Begins an attack from several addresses of the loopback network; who is cut off stays away. */
    static AttackSwarm launch(final Attack attack, final InetSocketAddress target) throws IOException {
        return launch(attack, target, false, false);
    }

    /**
     * Begins an attack.
     *
     * @param comesBack whether who is cut off connects again, a second later
     */
    static AttackSwarm launch(
            final Attack attack, final InetSocketAddress target, final boolean fromOneAddress, final boolean comesBack)
            throws IOException {
        final AttackSwarm swarm = new AttackSwarm(attack, target, fromOneAddress, comesBack);
        swarm.thread.start();
        return swarm;
    }

    /** Connections that were made. */
    int connected() {
        return connected.get();
    }

    /** Connections that failed, or were ended by the listener as far as their peers have noticed. */
    int ended() {
        return ended.get();
    }

    /** What the peers have done so far, and the processor time that their thread took for it. */
    @Override
    public String toString() {
        return "%d connected, %d ended, %d MiB sent in %d ms of a processor"
                .formatted(connected(), ended(), sentBytes.get() / MEBIBYTE, processorMillis());
    }

    private long processorMillis() {
        return TimeUnit.NANOSECONDS.toMillis(ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.threadId()));
    }

    private void run() {
        for (int peer = 0; peer < attack.peers(); peer++) {
            toConnect.add(new Peer(peer));
        }
        try (selector) {
            while (!over) {
                connectMore();
                selector.select(this::serve, nextPause());
                resume();
            }
            for (final Peer peer : peers) {
                peer.leave();
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void connectMore() {
        while (connecting < CONNECTING_AT_ONCE && !toConnect.isEmpty()) {
            final Peer peer = toConnect.remove();
            peers.add(peer);
            peer.connect();
        }
    }

    private long nextPause() {
        final Peer next = pausing.peek();
        return next == null
                ? SELECT_MILLIS
                : Math.clamp((next.dueNanos - System.nanoTime()) / 1_000_000, 1, SELECT_MILLIS);
    }

    private void resume() {
        final long now = System.nanoTime();
        while (!pausing.isEmpty() && pausing.peek().dueNanos - now <= 0) {
            final Peer next = pausing.remove();
            if (next.channel == null) {
                toConnect.add(next);
            } else {
                next.talk();
            }
        }
    }

    private void serve(final SelectionKey key) {
        final Peer peer = (Peer) key.attachment();
        try {
            if (key.isConnectable()) {
                peer.finishConnect();
            }
            if (key.isValid() && key.isReadable()) {
                peer.listen();
            }
            if (key.isValid() && key.isWritable()) {
                peer.talk();
            }
        } catch (final CancelledKeyException e) {
            peer.end();
        }
    }

    /** All peers leave, at once and without a word. */
    @Override
    public void close() {
        over = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One peer. Lives on the swarm's thread. */
    private final class Peer {

        private final int number;
        private final Iterator<byte[]> pieces;
        private SocketChannel channel;
        private SelectionKey key;
        private ByteBuffer piece = ByteBuffer.allocate(0);
        private boolean talked;
        private boolean isConnected;
        private boolean gone;
        private long dueNanos;

        Peer(final int number) {
            this.number = number;
            this.pieces = attack.says().apply(number);
        }

        void connect() {
            connecting++;
            try {
                channel = SocketChannel.open();
                channel.configureBlocking(false);
                if (!attack.reads()) {
                    channel.setOption(StandardSocketOptions.SO_RCVBUF, SMALL_RECEIVE_BUFFER);
                }
                channel.bind(new InetSocketAddress(source(), 0));
                key = channel.register(selector, SelectionKey.OP_CONNECT, this);
                if (channel.connect(target)) {
                    finishConnect();
                }
            } catch (final IOException e) {
                end();
            }
        }

        private String source() {
            return "127.0.0." + (fromOneAddress ? 2 : 2 + number / PEERS_PER_ADDRESS);
        }

        void finishConnect() {
            try {
                if (channel.finishConnect()) {
                    isConnected = true;
                    connecting--;
                    connected.incrementAndGet();
                    talk();
                }
            } catch (final IOException e) {
                end();
            }
        }

        void listen() {
            try {
                scratch.clear();
                if (channel.read(scratch) < 0) {
                    end();
                }
            } catch (final IOException e) {
                end();
            }
        }

        void talk() {
            if (gone) {
                return;
            }
            try {
                for (int turn = 0; turn < PIECES_PER_TURN; turn++) {
                    if (!piece.hasRemaining() && !nextPiece()) {
                        return;
                    }
                    sentBytes.addAndGet(channel.write(piece));
                    if (piece.hasRemaining()) {
                        break;
                    }
                }
                key.interestOps(SelectionKey.OP_WRITE | reading());
            } catch (final IOException e) {
                end();
            }
        }

        /** Whether there is one to be said now. */
        private boolean nextPiece() {
            key.interestOps(reading());
            final boolean due = !talked || attack.pace().isZero() || dueNanos - System.nanoTime() <= 0;
            if (!pieces.hasNext()) {
                return false;
            }
            if (!due) {
                pausing.add(this);
                return false;
            }
            talked = true;
            piece = ByteBuffer.wrap(pieces.next());
            dueNanos = System.nanoTime() + attack.pace().toNanos();
            return true;
        }

        private int reading() {
            return attack.reads() ? SelectionKey.OP_READ : 0;
        }

        void end() {
            if (!gone) {
                ended.incrementAndGet();
                leave();
                if (comesBack) {
                    final Peer again = new Peer(number);
                    again.dueNanos = System.nanoTime() + BEFORE_RETURN_NANOS;
                    pausing.add(again);
                }
            }
        }

        void leave() {
            if (!gone) {
                gone = true;
                if (!isConnected) {
                    connecting--;
                }
                try {
                    if (channel != null) {
                        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
                        channel.close();
                    }
                } catch (final IOException e) {
                    return; // it has gone already
                }
            }
        }
    }
}
