// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Tests of {@link HandshakeLimit}. Lives on the test's thread. */
@DisplayName("A limit of handshakes")
class HandshakeLimitTest {
    private final AtomicLong clock = new AtomicLong();
    private final List<Boolean> accepting = new ArrayList<>();
    private final HandshakeLimit limit = new HandshakeLimit(2, clock::get);

    @Test
    @DisplayName("stops accepting when it is reached, and goes on when a handshake has ended")
    void pauses() {
        limit.setAcceptor(accepting::add);
        limit.add("one");
        assertEquals(List.of(), accepting);
        limit.add("two");
        limit.add("handed over already");
        assertEquals(List.of(false, false), accepting);
        limit.remove("one");
        limit.remove("one");
        assertEquals(List.of(false, false), accepting);
        limit.remove("two");
        assertEquals(List.of(false, false, true), accepting);
        assertEquals(1, limit.count());
    }

    /** Time passes in which these drip. */
    private void drip(final long seconds, final TestHolder... holders) {
        for (int i = 0; i < seconds; i++) {
            clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
            for (final TestHolder holder : holders) {
                holder.turn().count(true, TimeUnit.SECONDS.toNanos(1), 0);
            }
            limit.sweep();
        }
    }

    @Test
    @DisplayName("has an address with several give way after three seconds in which none has ended")
    void heaviestGivesWay() {
        final TestHolder one = new TestHolder("heavy");
        final TestHolder another = new TestHolder("heavy");
        limit.begin(one);
        limit.begin(another);
        limit.add("one");
        limit.add("another");
        drip(2, one, another);
        assertEquals(0, one.revocations().size() + another.revocations().size());
        drip(1, one, another);
        assertEquals(1, one.revocations().size() + another.revocations().size());
    }

    @Test
    @DisplayName("has an address with several give way though it lets one end now and then")
    void fewEnd() {
        final HandshakeLimit large = new HandshakeLimit(100, clock::get);
        final List<TestHolder> holders = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            holders.add(new TestHolder("heavy"));
            large.begin(holders.get(i));
            large.add(holders.get(i));
        }
        for (int second = 0; second < 4; second++) {
            clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
            holders.forEach(holder -> holder.turn().count(true, TimeUnit.SECONDS.toNanos(1), 0));
            large.remove(holders.get(second));
            large.add(holders.get(second));
            large.sweep();
        }
        final long told = holders.stream()
                .filter(holder -> !holder.revocations().isEmpty())
                .count();
        assertEquals(99, told);
    }

    @Test
    @DisplayName("has those of an address with several give way as soon as each has had its three seconds")
    void eachInItsTime() {
        final int most = 20;
        final HandshakeLimit large = new HandshakeLimit(most, clock::get);
        final Map<TestHolder, SharedResource.Grant> holders = new LinkedHashMap<>();
        int ended = 0;
        for (int quarter = 0; quarter < 4 * 7; quarter++) {
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(250));
            holders.keySet().forEach(holder -> holder.turn().count(true, TimeUnit.MILLISECONDS.toNanos(250), 0));
            while (holders.size() < most) {
                final TestHolder next = new TestHolder("heavy");
                holders.put(next, large.begin(next));
                large.add(next);
            }
            large.sweep();
            for (final TestHolder holder : List.copyOf(holders.keySet())) {
                if (!holder.revocations().isEmpty()) {
                    holders.remove(holder).close();
                    large.remove(holder);
                    ended++;
                }
            }
        }
        assertEquals(2 * most, ended);
    }

    @Test
    @DisplayName("has the silent ones give way though many others end")
    void silent() {
        final HandshakeLimit large = new HandshakeLimit(10, clock::get);
        final List<TestHolder> holders = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            holders.add(new TestHolder("address " + i));
            large.begin(holders.get(i));
            large.add(holders.get(i));
        }
        large.sweep();
        clock.addAndGet(TimeUnit.SECONDS.toNanos(3));
        holders.forEach(holder -> holder.turn().count(true, TimeUnit.SECONDS.toNanos(3), 0));
        holders.get(0).turn().count(true, TimeUnit.SECONDS.toNanos(3), TimeUnit.SECONDS.toNanos(3));
        for (int i = 1; i < 10; i++) {
            large.remove(holders.get(i));
            large.add(holders.get(i));
        }
        large.sweep();
        final List<TestHolder> told = holders.stream()
                .filter(holder -> !holder.revocations().isEmpty())
                .toList();
        assertEquals(List.of(holders.get(0)), told);
    }

    @Test
    @DisplayName("leaves addresses with one handshake each alone, and all of them while others end")
    void oneEach() {
        final TestHolder one = new TestHolder("one");
        final TestHolder another = new TestHolder("another");
        limit.begin(one);
        limit.begin(another);
        limit.add("one");
        limit.add("another");
        drip(10, one, another);
        limit.begin(new TestHolder("one"));
        for (int i = 0; i < 10; i++) {
            limit.add("storm");
            limit.remove("storm");
            drip(2, one, another);
        }
        assertEquals(0, one.revocations().size() + another.revocations().size());
    }
}
