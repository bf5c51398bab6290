// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which peers are limited, and how long they are remembered. Lives on the test's thread, with a clock of its own. */
class RateLimitsTest {
    private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

    private final AtomicLong clock = new AtomicLong();
    private final InetAddress one = InetAddress.getByName("192.0.2.1");
    private final InetAddress two = InetAddress.getByName("192.0.2.2");
    private final RateLimits limits = new RateLimits(
            List.of(
                    new RateRule("agents", Optional.of(Pattern.compile("CN=agent-.*")), Optional.empty(), 1_000, 1),
                    new RateRule("from-one", Optional.empty(), Optional.of(one::equals), 0, 5),
                    new RateRule("both", Optional.of(Pattern.compile("CN=b")), Optional.of(two::equals), 1_000, 0)),
            clock::get);

    RateLimitsTest() throws Exception {}

    @Test
    @DisplayName("the first rule that fits counts; a peer that none fits has no limit")
    void firstRule() {
        final PeerRate agent = limits.acquire("CN=agent-1", one);
        assertTrue(agent.limitsBytes());
        assertEquals(0, agent.spendTransaction());
        assertEquals(SECOND_NANOS, agent.spendTransaction());
        final PeerRate other = limits.acquire("CN=other", one);
        assertEquals(0, other.spendBytes(1_000_000));
        for (int begun = 0; begun < 5; begun++) {
            assertEquals(0, other.spendTransaction());
        }
        assertEquals(SECOND_NANOS / 5, other.spendTransaction());
        assertSame(PeerRate.UNLIMITED, limits.acquire("XCN=agent-1", two));
        assertSame(PeerRate.UNLIMITED, limits.acquire(null, two));
        assertEquals(0, PeerRate.UNLIMITED.spendBytes(Long.MAX_VALUE) + PeerRate.UNLIMITED.spendTransaction());
    }

    @Test
    @DisplayName("a rule for identity and address fits a peer with both")
    void bothConditions() {
        assertTrue(limits.acquire("CN=b", two).limitsBytes());
        assertSame(PeerRate.UNLIMITED, limits.acquire("CN=c", two));
        assertSame(PeerRate.UNLIMITED, limits.acquire(null, two));
    }

    @Test
    @DisplayName("all connections of a peer spend from one account, wherever they come from")
    void oneAccount() {
        final PeerRate rate = limits.acquire("CN=agent-1", one);
        assertSame(rate, limits.acquire("CN=agent-1", two));
        assertNotSame(rate, limits.acquire("CN=agent-2", one));
    }

    @Test
    @DisplayName("a peer that comes again has no new start, and one that is quiet is forgotten")
    void forgets() {
        final PeerRate rate = limits.acquire("CN=agent-1", one);
        rate.spendBytes(10_000);
        limits.release(rate);
        limits.forgetQuiet();
        assertSame(rate, limits.acquire("CN=agent-1", one));
        clock.addAndGet(11 * SECOND_NANOS);
        limits.forgetQuiet();
        assertEquals(1, limits.peers());
        limits.release(rate);
        assertEquals(0, limits.peers());
        final PeerRate indebted = limits.acquire("CN=agent-2", one);
        indebted.spendBytes(10_000);
        limits.release(indebted);
        clock.addAndGet(11 * SECOND_NANOS);
        limits.forgetQuiet();
        assertEquals(0, limits.peers());
    }
}
