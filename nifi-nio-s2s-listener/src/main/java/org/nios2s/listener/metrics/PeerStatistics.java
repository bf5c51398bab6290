// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.metrics;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.openmbean.TabularData;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.wire.LogText;

/**
 * The lists of peers with the most bytes, transactions and faults, and of those that have been idle longest. Thread-safe: written
 * by IO workers, read by readers of the bean.
 *
 * <p>A peer is a name: an identity over TLS, otherwise an address.
 */
public final class PeerStatistics {
    /** Peers in each list. */
    static final int MAX_IN_LIST = 20;

    private final TopPeers bytes = new TopPeers();
    private final TopPeers transactions = new TopPeers();
    private final TopPeers faults = new TopPeers();
    private final NanoClock clock;

    PeerStatistics(final NanoClock clock) {
        this.clock = clock;
    }

    /** Counts a push or a pull that was committed. */
    public void transferred(final String peer, final long contentBytes) {
        bytes.add(peer, contentBytes);
        transactions.add(peer, 1);
    }

    /** Counts a connection that was closed for a fault. */
    public void failed(final String peer) {
        faults.add(peer, 1);
    }

    /**
     * @param lastProgressNanos the time of the last progress on any connection of each connected peer, by the listener's clock
     * @return the lists by name, each as JSON and as a table
     */
    Map<String, Supplier<?>> figures(final Supplier<Map<String, Long>> lastProgressNanos) {
        final LongestIdlePeers longestIdle = new LongestIdlePeers(lastProgressNanos);
        final Map<String, Supplier<?>> figures = new HashMap<>();
        figures.put("TopPeersByBytes", () -> json(bytes, "bytes"));
        figures.put("TopPeersByTransactions", () -> json(transactions, "transactions"));
        figures.put("TopPeersByFaults", () -> json(faults, "faults"));
        figures.put("LongestIdlePeers", () -> json(longestIdle.get()));
        figures.put("BytesByPeer", () -> table(bytes));
        figures.put("TransactionsByPeer", () -> table(transactions));
        figures.put("FaultsByPeer", () -> table(faults));
        figures.put("IdleSecondsByPeer", () -> PeerTable.of(longestIdle.get()));
        return figures;
    }

    /**
     * The list of idle peers with their seconds, the longest idle one first. Thread-safe.
     *
     * <p>Making the list costs a walk of every IO worker through its connections. A reader of the bean asks several times in a row,
     * and several readers may ask at the same time, so the list is cached for a second.
     */
    private final class LongestIdlePeers implements Supplier<SequencedMap<String, Long>> {
        private static final long CACHE_NANOS = TimeUnit.SECONDS.toNanos(1);

        private final Supplier<Map<String, Long>> lastProgressNanos;
        private SequencedMap<String, Long> list;
        private long madeNanos;

        private LongestIdlePeers(final Supplier<Map<String, Long>> lastProgressNanos) {
            this.lastProgressNanos = lastProgressNanos;
        }

        @Override
        public synchronized SequencedMap<String, Long> get() {
            final long now = clock.nanoTime();
            if (list == null || now - madeNanos > CACHE_NANOS) {
                list = longestIdle(lastProgressNanos.get());
                madeNanos = now;
            }
            return list;
        }
    }

    private SequencedMap<String, Long> longestIdle(final Map<String, Long> lastProgressNanos) {
        final long now = clock.nanoTime();
        final SequencedMap<String, Long> seconds = new LinkedHashMap<>();
        lastProgressNanos.entrySet().stream()
                .sorted(Comparator.comparingLong(peer -> peer.getValue() - now))
                .limit(MAX_IN_LIST)
                .forEach(peer ->
                        seconds.put(peer.getKey(), TimeUnit.NANOSECONDS.toSeconds(Math.max(0, now - peer.getValue()))));
        return seconds;
    }

    private static TabularData table(final TopPeers topPeers) {
        final SequencedMap<String, Long> counts = new LinkedHashMap<>();
        topPeers.top(MAX_IN_LIST).forEach(ranked -> counts.put(ranked.peer(), ranked.count()));
        return PeerTable.of(counts);
    }

    private static String json(final SequencedMap<String, Long> seconds) {
        return array(seconds.entrySet().stream()
                .map(peer -> "\"peer\":%s,\"seconds\":%d".formatted(quoted(peer.getKey()), peer.getValue())));
    }

    private static String json(final TopPeers topPeers, final String what) {
        return array(topPeers.top(MAX_IN_LIST).stream().map(ranked -> {
            final String entry = "\"peer\":%s,\"%s\":%d".formatted(quoted(ranked.peer()), what, ranked.count());
            if (ranked.overestimate() == 0) {
                return entry;
            }
            return entry + ",\"overestimatedByUpTo\":" + ranked.overestimate();
        }));
    }

    private static String array(final Stream<String> entries) {
        return entries.map(entry -> "{" + entry + "}").collect(Collectors.joining(",", "[", "]"));
    }

    /** Quotes a text for JSON; control characters are escaped by {@link LogText}. */
    private static String quoted(final String text) {
        return '"' + LogText.of(text).replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
