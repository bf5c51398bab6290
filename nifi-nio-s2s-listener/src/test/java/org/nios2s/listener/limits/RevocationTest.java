// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.SharedResource.Part;

/** Who loses what others wait for. Lives on the test's thread, with a clock of its own. */
@DisplayName("A peer that keeps another one waiting")
class RevocationTest {
    private final AtomicLong clock = new AtomicLong();
    private final Revocation revocation = new Revocation(clock::get);
    private final List<TestHolder> holders = new ArrayList<>();

    private SharedResource of(final long max, final long own) {
        return new SharedResource("something", max, own, clock::get);
    }

    private TestHolder hold(final Part part, final String peer, final long amount) {
        final TestHolder holder = new TestHolder(peer);
        part.request(holder, amount, 0, () -> {});
        holders.add(holder);
        return holder;
    }

    private TestHolder hold(final Part part, final String peer) {
        return hold(part, peer, 1);
    }

    /** Who waits is not in its own turn. */
    private void waitFor(final Part part, final String peer, final long amount) {
        part.request(new TestHolder(peer), amount, 0, () -> {});
    }

    private enum Pace {
        SILENT,
        DRIPS,
        WAITS_FOR_US
    }

    private void pass(final long seconds, final Pace pace, final SharedResource... resources) {
        for (int i = 0; i < 4 * seconds; i++) {
            look(pace, resources);
        }
    }

    private void look(final Pace pace, final SharedResource... resources) {
        final long quarter = TimeUnit.MILLISECONDS.toNanos(250);
        clock.addAndGet(quarter);
        for (final TestHolder holder : holders) {
            holder.turn().count(pace != Pace.WAITS_FOR_US, quarter, quarter);
            if (pace == Pace.DRIPS) {
                holder.turn().heard();
            }
        }
        for (final SharedResource resource : resources) {
            revocation.check(resource);
        }
    }

    private long revoked() {
        return holders.stream()
                .filter(holder -> !holder.revocations().isEmpty())
                .count();
    }

    @Test
    @DisplayName("may be as slow as it likes with one transaction")
    void slowWithOne() {
        final SharedResource resource = of(4, 0);
        final Part part = resource.commonPart();
        for (int i = 0; i < 4; i++) {
            hold(part, "slow " + i);
        }
        waitFor(part, "honest", 1);
        pass(60, Pace.DRIPS, resource);
        assertEquals(0, revoked());
    }

    @Test
    @DisplayName("keeps its only transaction, whatever else that connection holds")
    void oneConnectionIsNoHog() {
        final SharedResource resource = of(2, 0);
        final Part part = resource.commonPart();
        final TestHolder slow = hold(part, "slow");
        part.request(slow, 1, 0, () -> {});
        waitFor(part, "honest", 1);
        pass(10, Pace.DRIPS, resource);
        assertEquals(0, revoked());
    }

    @Test
    @DisplayName("is never beyond its share with one small transaction, however many others wait")
    void oneSmallIsNoHog() {
        final SharedResource memory = of(2_048, 0);
        final Part part = memory.commonPart();
        for (int i = 0; i < 2_200; i++) {
            if (i < 2_048) {
                hold(part, "agent " + i);
            } else {
                waitFor(part, "agent " + i, 1);
            }
        }
        pass(10, Pace.DRIPS, memory);
        assertEquals(0, revoked());
    }

    @Test
    @DisplayName("loses its only transaction after three silent seconds of its own")
    void silent() {
        final SharedResource resource = of(1, 0);
        final Part part = resource.commonPart();
        final TestHolder silent = hold(part, "silent");
        waitFor(part, "honest", 1);
        pass(2, Pace.SILENT, resource);
        assertEquals(0, revoked());
        pass(1, Pace.SILENT, resource);
        assertEquals(1, silent.revocations().size());
        assertEquals(ConnectionFault.Kind.SLOW_PEER, silent.revocations().get(0).kind());
    }

    @Test
    @DisplayName("gives way with what only one can have when it has had that for half a minute of its own time")
    void hasHadItsTurn() {
        final SharedResource resource = new SharedResource("something", 1, 0, clock::get, TimeUnit.SECONDS.toNanos(30));
        final Part part = resource.commonPart();
        final TestHolder dripping = hold(part, "dripping");
        waitFor(part, "honest", 1);
        pass(60, Pace.WAITS_FOR_US, resource);
        pass(29, Pace.DRIPS, resource);
        assertEquals(0, revoked());
        pass(1, Pace.DRIPS, resource);
        assertEquals(1, dripping.revocations().size());
    }

    @Test
    @DisplayName("loses nothing while nobody waits, and nothing while it waits for us")
    void notItsTurn() {
        final SharedResource resource = of(2, 0);
        final Part part = resource.commonPart();
        hold(part, "silent");
        pass(60, Pace.SILENT, resource);
        hold(part, "silent");
        waitFor(part, "honest", 1);
        pass(60, Pace.WAITS_FOR_US, resource);
        assertEquals(0, revoked());
    }

    @Test
    @DisplayName("loses one of several, also over two ports, until it holds as much as the others")
    void heaviest() {
        final SharedResource resource = of(6, 0);
        final Part one = resource.part(3);
        final Part other = resource.part(3);
        for (int i = 0; i < 2; i++) {
            hold(one, "heavy");
            hold(other, "heavy");
        }
        hold(one, "light");
        hold(other, "light too");
        waitFor(one, "honest", 1);
        pass(2, Pace.DRIPS, resource);
        assertEquals(0, revoked());
        pass(1, Pace.DRIPS, resource);
        assertEquals(1, revoked());
        assertEquals(
                List.of("heavy"),
                holders.stream()
                        .filter(holder -> !holder.revocations().isEmpty())
                        .map(holder -> holder.key().name())
                        .toList());
    }

    @Test
    @DisplayName("keeps what it has if it would hold less than the one that waits")
    void noPingPong() {
        final SharedResource resource = of(3, 0);
        final Part part = resource.commonPart();
        hold(part, "two");
        hold(part, "two");
        hold(part, "one");
        waitFor(part, "one", 1);
        pass(60, Pace.DRIPS, resource);
        assertEquals(0, revoked());
    }

    @Test
    @DisplayName("keeps its transactions as long as they take less than three seconds of its own")
    void quick() {
        final SharedResource resource = of(2, 0);
        final Part part = resource.commonPart();
        waitFor(part, "a", 1);
        waitFor(part, "b", 1);
        waitFor(part, "honest", 1);
        pass(60, Pace.WAITS_FOR_US, resource);
        hold(part, "late");
        pass(2, Pace.DRIPS, resource);
        assertEquals(0, revoked());
    }

    @Test
    @DisplayName("keeps what would not help: what is another port's own, or held while the port stands still")
    void noHelp() {
        final SharedResource resource = of(4, 1);
        final Part own = resource.part(4);
        hold(own, "silent");
        final Part busy = resource.part(1);
        hold(busy, "busy");
        waitFor(busy, "honest", 1);
        pass(10, Pace.SILENT, resource);
        assertEquals(
                List.of(0, 1),
                holders.stream()
                        .map(holder -> Math.min(1, holder.revocations().size()))
                        .toList());

        final SharedResource still = of(10, 0);
        final Part full = still.part((amount, size) -> false);
        waitFor(full, "honest", 1);
        pass(10, Pace.SILENT, still);
    }

    @Test
    @DisplayName("makes room for as many as have waited, at once")
    void many() {
        final SharedResource resource = of(20, 0);
        final Part part = resource.commonPart();
        for (int i = 0; i < 20; i++) {
            hold(part, "hog");
        }
        for (int i = 0; i < 5; i++) {
            waitFor(part, "honest " + i, 1);
        }
        pass(3, Pace.DRIPS, resource);
        assertEquals(5, revoked());
    }

    @Test
    @DisplayName("is told again at the next look if our turn had begun just then, and once is enough")
    void ourTurnJustThen() {
        final SharedResource resource = of(4, 0);
        final Part part = resource.commonPart();
        for (int i = 0; i < 4; i++) {
            hold(part, "hog").ourTurn(true);
        }
        waitFor(part, "honest", 1);
        pass(4, Pace.DRIPS, resource);
        assertEquals(0, revoked());
        holders.forEach(holder -> holder.ourTurn(false));
        look(Pace.DRIPS, resource);
        assertEquals(1, revoked());
        pass(2, Pace.DRIPS, resource);
        assertEquals(1, revoked());
    }
}
