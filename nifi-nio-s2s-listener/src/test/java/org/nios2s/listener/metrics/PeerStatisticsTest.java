// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.metrics.TopPeers.Ranked;

/** Which peers stand out, and how much memory that takes. Lives on the test's thread, with a clock of its own. */
class PeerStatisticsTest {
    private static final int SWARM = 100_000;

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE);
    private final PeerStatistics statistics = new PeerStatistics(clock::get);
    private final Map<String, Long> lastHeard = new HashMap<>();

    private String read(final String figure) {
        return (String) statistics.figures(() -> lastHeard).get(figure).get();
    }

    private Map<String, Long> table(final String figure) {
        final TabularData table =
                (TabularData) statistics.figures(() -> lastHeard).get(figure).get();
        final Map<String, Long> rows = new HashMap<>();
        for (final Object row : table.values()) {
            final CompositeData peer = (CompositeData) row;
            rows.put((String) peer.get("peer"), (Long) peer.get("value"));
        }
        return rows;
    }

    @Test
    @DisplayName("the lists are there as tables, too, with the same peers")
    void tables() {
        IntStream.range(0, 30).forEach(peer -> statistics.transferred("agent-" + peer, 100 + peer));
        statistics.failed("CN=\"a\"\n");
        lastHeard.put("silent", clock.get() - Duration.ofMinutes(1).toNanos());
        assertEquals(PeerStatistics.MAX_IN_LIST, table("BytesByPeer").size());
        assertEquals(129, table("BytesByPeer").get("agent-29"));
        assertEquals(1, table("TransactionsByPeer").get("agent-29"));
        assertEquals(Map.of("CN=\"a\"\\u000a", 1L), table("FaultsByPeer"));
        assertEquals(Map.of("silent", 60L), table("IdleSecondsByPeer"));
    }

    @Test
    @DisplayName("as many peers as have a place are counted exactly, those with the most first")
    void exact() {
        final TopPeers ranking = new TopPeers();
        for (int peer = 1; peer <= TopPeers.MAX_PEERS; peer++) {
            ranking.add("peer-" + peer, peer);
            ranking.add("peer-" + peer, peer);
        }
        assertEquals(List.of(new Ranked("peer-1000", 2_000, 0), new Ranked("peer-999", 1_998, 0)), ranking.top(2));
    }

    @Test
    @DisplayName("a swarm of peers pushes no busy one out, and takes no more memory; a count is never too low")
    void swarm() {
        final TopPeers ranking = new TopPeers();
        int busy = 0;
        for (int peer = 0; peer < SWARM; peer++) {
            ranking.add("one-time-" + peer, 1);
            if (peer % 10 == 0) {
                ranking.add("busy", 1);
                busy++;
            }
        }
        assertEquals(TopPeers.MAX_PEERS, ranking.size());
        final Ranked first = ranking.top(1).get(0);
        assertEquals("busy", first.peer());
        assertTrue(first.count() >= busy && first.count() - first.overestimate() <= busy, first::toString);
    }

    @Test
    @DisplayName("the lists have twenty peers at most, as JSON")
    void lists() {
        IntStream.range(0, 30).forEach(peer -> {
            statistics.transferred("agent-" + peer, 100 + peer);
            statistics.failed("agent-" + peer);
        });
        statistics.transferred("agent-7", 0);
        assertTrue(
                read("TopPeersByBytes").startsWith("[{\"peer\":\"agent-29\",\"bytes\":129},{\"peer\":\"agent-28\","));
        assertTrue(read("TopPeersByTransactions").startsWith("[{\"peer\":\"agent-7\",\"transactions\":2},"));
        assertEquals(PeerStatistics.MAX_IN_LIST, read("TopPeersByFaults").split("peer").length - 1);
    }

    @Test
    @DisplayName("a peer that has a connection and says nothing is found, the longest silence first")
    void silence() {
        assertEquals("[]", read("LongestIdlePeers"));
        lastHeard.put("new", clock.get());
        lastHeard.put("old", clock.get() - Duration.ofMinutes(1).toNanos());
        clock.addAndGet(Duration.ofSeconds(2).toNanos());
        assertEquals("[{\"peer\":\"old\",\"seconds\":62},{\"peer\":\"new\",\"seconds\":2}]", read("LongestIdlePeers"));
    }

    @Test
    @DisplayName("a name can't break out of its quotes")
    void quotes() {
        statistics.failed("CN=\"a\\b\"\n");
        assertEquals("[{\"peer\":\"CN=\\\"a\\\\b\\\"\\\\u000a\",\"faults\":1}]", read("TopPeersByFaults"));
    }
}
