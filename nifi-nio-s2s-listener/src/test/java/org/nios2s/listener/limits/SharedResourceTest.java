// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.limits.SharedResource.Part;

/** Tests of {@link SharedResource}. Lives on the test's thread. */
@DisplayName("A shared resource")
class SharedResourceTest {
    private final List<String> called = new ArrayList<>();

    private static SharedResource of(final long max, final long own) {
        return new SharedResource("something", max, own, () -> 0);
    }

    private Grant request(final Part part, final String who, final long amount) {
        return part.request(new TestHolder(who), amount, 0, () -> called.add(who));
    }

    private Grant request(final Part part, final String who) {
        return request(part, who, 1);
    }

    @Test
    @DisplayName("gives out what there is, then calls who waits in order, one for each that comes back")
    void order() {
        final Part part = of(3, 0).part(2);
        final Grant a = request(part, "a");
        final Grant b = request(part, "b");
        assertTrue(a.isImmediate() && b.isImmediate());
        final Grant c = request(part, "c");
        final Grant d = request(part, "d");
        assertFalse(c.isImmediate() || d.isImmediate());
        assertEquals(2, part.waiting());
        a.close();
        assertEquals(List.of("c"), called);
        c.close();
        assertEquals(List.of("c", "d"), called);
        b.close();
        d.close();
        assertEquals(0, part.held());
    }

    @Test
    @DisplayName("lets a port grow, and gives it what nobody else uses, beside very many idle ports")
    void manyPorts() {
        final SharedResource resource = of(64_000, 1_000);
        final Part part = resource.part(32_000);
        for (int i = 0; i < 500; i++) {
            resource.part(32_000);
        }
        assertTrue(part.hasRoomToGrow());
        assertTrue(request(part, "a", 10_000).isImmediate());
        assertTrue(part.hasRoomToGrow());
    }

    @Test
    @DisplayName("gives what was kept for a port to who waits, when the port is no longer used")
    void portLeaves() {
        final SharedResource resource = of(3, 1);
        final Part part = resource.part(3);
        final Part idle = resource.part(3);
        request(part, "a");
        assertFalse(request(part, "b").isImmediate());
        idle.close();
        assertEquals(List.of("b"), called);
    }

    @Test
    @DisplayName("takes back what is closed twice only once, and what was granted meanwhile to who left the line")
    void once() {
        final Part part = of(1, 0).commonPart();
        final Grant first = request(part, "a");
        final Grant leaves = request(part, "leaves");
        final Grant next = request(part, "next");
        leaves.close();
        first.close();
        first.close();
        assertEquals(List.of("next"), called);
        next.close();
        assertEquals(0, part.held());
        assertTrue(request(part, "later").isImmediate());
    }

    @Test
    @DisplayName("calls the peer first that holds least over all ports, and of a peer the one that has waited longest")
    void leastFirst() {
        final SharedResource resource = of(4, 0);
        final Part one = resource.part(4);
        final Part other = resource.part(4);
        final List<Grant> full =
                List.of(request(one, "greedy"), request(one, "greedy"), request(one, "full"), request(one, "full"));
        request(other, "greedy");
        request(other, "modest");
        request(one, "greedy");
        request(one, "modest");
        full.get(3).close();
        full.get(2).close();
        assertEquals(List.of("modest", "modest"), called);
        full.get(1).close();
        assertEquals(List.of("modest", "modest", "greedy"), called);
    }

    @Test
    @DisplayName("has peers that hold the same take turns: who has just given something back comes last")
    void turns() {
        final Part part = of(1, 0).commonPart();
        Grant held = request(part, "many");
        final List<Grant> many = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            many.add(request(part, "many"));
        }
        request(part, "one");
        held.close();
        assertEquals(List.of("one"), called);
        held = many.get(0);
        held.close();
        assertEquals(List.of("one"), called);
    }

    @Test
    @DisplayName("leaves each port what is its own, and as much to a port that has yet to come")
    void own() {
        final SharedResource resource = of(4, 1);
        final Part busy = resource.part(4);
        final Part quiet = resource.part(4);
        final List<Grant> granted = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            granted.add(request(busy, "busy " + i));
        }
        assertEquals(
                List.of(true, true, false, false),
                granted.stream().map(Grant::isImmediate).toList());
        final Part late = resource.part(4);
        assertTrue(request(quiet, "quiet").isImmediate());
        assertTrue(request(late, "late").isImmediate());
        assertTrue(request(resource.part(4), "beyond the whole").isImmediate());
        assertFalse(request(quiet, "quiet again").isImmediate());
    }

    @Test
    @DisplayName("gives what was a port's own to the others when the port is no longer used")
    void closedPart() {
        final SharedResource resource = of(4, 1);
        final Part busy = resource.part(4);
        final Part quiet = resource.part(4);
        request(busy, "1");
        request(busy, "2");
        quiet.close();
        assertTrue(request(busy, "3").isImmediate());
    }

    @Test
    @DisplayName("lets who waits for its own port delay nobody else, and who waits for the whole be passed by nobody")
    void levels() {
        final SharedResource resource = of(4, 0);
        final Part narrow = resource.part(1);
        final Part wide = resource.part(4);
        request(narrow, "narrow");
        request(narrow, "waits for its port");
        assertTrue(request(wide, "wide").isImmediate());
        final Grant large = request(wide, "waits for the whole", 3);
        assertFalse(large.isImmediate());
        assertFalse(request(wide, "small").isImmediate());
        assertFalse(request(resource.part(4), "small at another port").isImmediate());
    }

    @Test
    @DisplayName("counts what is used beyond what was asked for, and gives back what will not be needed")
    void uses() {
        final SharedResource resource = of(100, 0);
        final Part part = resource.part(100);
        final Grant grant = request(part, "a", 10);
        assertTrue(grant.hasRoomToGrow());
        grant.add(10);
        assertEquals(10, resource.held());
        grant.add(5);
        assertEquals(15, resource.held());
        grant.settle(-14);
        assertEquals(1, resource.held());
        grant.set(50);
        grant.close();
        grant.add(1_000);
        assertEquals(0, resource.held());
        assertEquals(50, resource.peak());
    }

    @Test
    @DisplayName("lets nobody take more without asking while somebody waits, or where only a sixteenth is left")
    void growth() {
        final Part part = of(160, 0).part(160);
        final Grant others = request(part, "others", 100);
        final Grant grant = request(part, "a", 10);
        grant.add(49);
        assertTrue(grant.hasRoomToGrow());
        grant.add(1);
        assertFalse(grant.hasRoomToGrow());
        others.close();
        assertTrue(grant.hasRoomToGrow());
        final Grant waiting = request(part, "b", 120);
        assertFalse(grant.hasRoomToGrow());
        waiting.close();
        assertTrue(grant.hasRoomToGrow());
    }

    @Test
    @DisplayName(
            "lets a peer take three eighths without asking, at all ports together, so that another one may grow, too")
    void growthOfAPeer() {
        final SharedResource resource = of(320, 0);
        final Part part = resource.part(160);
        final Grant first = request(part, "a");
        final Grant second = request(part, "a");
        first.add(58);
        assertTrue(second.hasRoomToGrow());
        second.add(2);
        assertFalse(first.hasRoomToGrow() || second.hasRoomToGrow());
        assertFalse(request(resource.part(160), "a", 0).hasRoomToGrow());
        final Grant other = request(part, "b");
        other.add(59);
        assertTrue(other.hasRoomToGrow());
    }

    @Test
    @DisplayName("hands out only where it is asked to, and tells when it can")
    void handedOut() {
        final Part part = of(1, 0).part(1);
        part.grantOnlyNext(() -> called.add("there is something"), () -> true);
        final Grant first = request(part, "first");
        assertFalse(first.isImmediate());
        assertEquals(List.of("there is something"), called);
        assertEquals(1, part.grantable());
        assertEquals(first, part.peek());
        assertEquals(first, part.next());
        final Grant second = request(part, "second");
        assertNull(part.next());
        assertEquals(0, part.grantable());
        first.close();
        assertEquals(List.of("there is something", "there is something"), called);
        assertTrue(second.stopWaiting());
        assertNull(part.next());
        assertFalse(first.stopWaiting());
    }

    @Test
    @DisplayName(
            "keeps for three seconds what is for a port that hands out itself, and comes later than one with a heavier peer")
    void keptForPort() {
        final AtomicLong clock = new AtomicLong();
        final SharedResource resource = new SharedResource("something", 2, 0, clock::get);
        final Part heavier = resource.part(2);
        final Part lighter = resource.part(2);
        final List<Grant> held = List.of(request(heavier, "heavier"), request(heavier, "heavier"));
        heavier.grantOnlyNext(() -> called.add("port of the heavier"), () -> true);
        lighter.grantOnlyNext(() -> called.add("port of the lighter"), () -> true);
        request(heavier, "heavier");
        final Grant waiting = request(lighter, "lighter");
        held.getFirst().close();
        assertEquals(List.of("port of the lighter"), called);
        assertEquals(0, heavier.grantable());
        assertNull(heavier.next());
        assertEquals(1, lighter.grantable());
        assertEquals(waiting, lighter.next());

        final Grant late = request(lighter, "another");
        held.getLast().close();
        assertNull(heavier.next());
        clock.set(TimeUnit.SECONDS.toNanos(3));
        assertEquals(1, heavier.grantable());
        heavier.next().close();
        // It has had its time: what comes back is for the first port that comes, until it has handed something out.
        assertEquals(1, lighter.grantable());
        late.close();
    }
}
