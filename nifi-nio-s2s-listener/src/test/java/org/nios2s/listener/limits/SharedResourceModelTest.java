// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * {@link SharedResource} against a model that looks at everything each time: all sequences of a few acts, and long random ones. Lives
 * on the test's thread.
 */
@DisplayName("Two parts of a shared resource")
class SharedResourceModelTest {
    private static final int PARTS = 2;
    private static final int PEERS = 2;
    private static final int RANDOM_SEQUENCES = 200;
    private static final int ACTS_OF_A_RANDOM_SEQUENCE = 150;
    private static final int MOST_REQUESTS = 12;

    /** How a resource is made: in all, of a part, a part's own, and what may be asked for. */
    private record Shape(long max, long partMax, long own, int[] amounts, int actsOfAllSequences) {}

    private static final Shape PERMITS = new Shape(4, 2, 1, new int[] {1}, 6);
    private static final Shape BYTES = new Shape(24, 12, 2, new int[] {1, 6}, 4);
    private static final Shape NOTHING_OWN = new Shape(3, 2, 0, new int[] {1}, 6);

    private enum State {
        WAITING,
        HELD,
        CLOSED
    }

    /** A grant as the model sees it. Lives on the test's thread. */
    private static final class Request {
        private final int part;
        private final int peer;
        private long reserved;
        private long used;
        private long ticket;
        private State state;
        private SharedResource.Grant grant;

        Request(final int part, final int peer, final long amount, final long ticket) {
            this.part = part;
            this.peer = peer;
            this.reserved = amount;
            this.ticket = ticket;
        }

        long counted() {
            return Math.max(reserved, used);
        }
    }

    /** What has happened so far. Lives on the test's thread. */
    private static final class Model {
        private final Shape shape;
        private final SharedResource resource;
        private final List<SharedResource.Part> parts;
        private final List<TestHolder> holders = List.of(new TestHolder("0"), new TestHolder("1"));
        private final List<Request> requests = new ArrayList<>();
        /** Whether each call was due: what fails in a callback is only logged. */
        private final List<Boolean> order = new ArrayList<>();

        private final long[] lastReturn = new long[PEERS];
        private long ticket = 1;

        Model(final Shape shape) {
            this.shape = shape;
            this.resource = new SharedResource("something", shape.max, shape.own, () -> 0);
            this.parts = List.of(resource.part(shape.partMax), resource.part(shape.partMax));
        }

        private long held(final int part) {
            return requests.stream()
                    .filter(request -> request.state == State.HELD && request.part == part)
                    .mapToLong(Request::counted)
                    .sum();
        }

        private long heldBy(final int peer) {
            return requests.stream()
                    .filter(request -> request.state == State.HELD && request.peer == peer)
                    .mapToLong(Request::counted)
                    .sum();
        }

        private long ownLeft(final int part) {
            return Math.max(0, shape.own - held(part));
        }

        private boolean hasPartRoom(final Request request) {
            return held(request.part) + request.reserved <= shape.partMax;
        }

        private boolean isFree(final Request request) {
            final long beyondOwn = request.reserved - ownLeft(request.part);
            final long setAside = shape.own
                    + IntStream.range(0, PARTS).mapToLong(this::ownLeft).sum();
            final long all = IntStream.range(0, PARTS).mapToLong(this::held).sum();
            return beyondOwn <= 0 || beyondOwn <= shape.max - all - setAside;
        }

        private long turn(final Request request) {
            final long first = requests.stream()
                    .filter(each ->
                            each.state == State.WAITING && each.part == request.part && each.peer == request.peer)
                    .mapToLong(each -> each.ticket)
                    .min()
                    .orElseThrow();
            return Math.max(first, lastReturn[request.peer]);
        }

        /** @return who may be granted now, or null; a waiter for its own port lets the others pass */
        private Request next() {
            final List<Request> inTurn = requests.stream()
                    .filter(request -> request.state == State.WAITING)
                    .sorted(Comparator.<Request>comparingLong(request -> heldBy(request.peer))
                            .thenComparingLong(this::turn)
                            .thenComparingLong(request -> request.ticket))
                    .toList();
            boolean wholeIsShort = false;
            final List<Integer> seen = new ArrayList<>();
            for (final Request request : inTurn) {
                if (!seen.contains(request.part)) {
                    seen.add(request.part);
                    if (hasPartRoom(request)) {
                        final boolean usesOwn = request.reserved <= ownLeft(request.part);
                        if (usesOwn || !wholeIsShort && isFree(request)) {
                            return request;
                        }
                        wholeIsShort = true;
                    }
                }
            }
            return null;
        }

        void request(final int part, final int peer, final long amount) {
            final Request request = new Request(part, peer, amount, ticket++);
            request.state = State.WAITING;
            requests.add(request);
            final boolean expected = next() == request;
            request.state = expected ? State.HELD : State.WAITING;
            request.grant = parts.get(part).request(holders.get(peer), amount, 0, () -> granted(request));
            assertEquals(expected, request.grant.isImmediate());
            check();
        }

        private void granted(final Request request) {
            order.add(request.state == State.WAITING && next() == request);
            request.state = State.HELD;
        }

        void close(final Request request) {
            if (request.state == State.HELD) {
                lastReturn[request.peer] = ticket++;
            }
            request.state = State.CLOSED;
            requests.remove(request);
            request.grant.close();
            check();
        }

        /** More is used where it may be: by one at a time, and first what is reserved. */
        void use(final Request request) {
            if (request.state == State.HELD && (request.used < request.reserved || request.grant.hasRoomToGrow())) {
                request.used++;
                request.grant.add(1);
                check();
            }
        }

        private void check() {
            final long all = IntStream.range(0, PARTS).mapToLong(this::held).sum();
            assertEquals(all, resource.held());
            assertTrue(all <= shape.max, () -> all + " are held");
            for (int part = 0; part < PARTS; part++) {
                assertEquals(held(part), parts.get(part).held());
            }
            assertFalse(order.contains(false), "somebody was called out of turn");
            assertNull(next(), "somebody waits beside room");
            final boolean somebodyWaits = requests.stream().anyMatch(request -> request.state == State.WAITING);
            assertEquals(somebodyWaits, parts.stream().anyMatch(part -> part.waiting() > 0));
        }

        List<Runnable> acts() {
            final List<Runnable> acts = new ArrayList<>();
            if (requests.size() < MOST_REQUESTS) {
                for (int i = 0; i < PARTS * PEERS; i++) {
                    final int part = i / PEERS;
                    final int peer = i % PEERS;
                    for (final int amount : shape.amounts) {
                        acts.add(() -> request(part, peer, amount));
                    }
                }
            }
            for (final Request request : List.copyOf(requests)) {
                acts.add(() -> close(request));
                if (shape.amounts.length > 1) {
                    acts.add(() -> use(request));
                }
            }
            return acts;
        }

        void end() {
            while (!requests.isEmpty()) {
                close(requests.get(0));
            }
            assertEquals(0, resource.held());
        }
    }

    private static void continueWith(final Shape shape, final List<Integer> acts) {
        final Model model = new Model(shape);
        acts.forEach(act -> model.acts().get(act).run());
        final int possible = model.acts().size();
        model.end();
        if (acts.size() == shape.actsOfAllSequences) {
            return;
        }
        for (int next = 0; next < possible; next++) {
            acts.add(next);
            continueWith(shape, acts);
            acts.removeLast();
        }
    }

    @Test
    @DisplayName("call the next as soon as there is room, and never exceed the whole, in every sequence of a few acts")
    void allSequences() {
        for (final Shape shape : List.of(PERMITS, BYTES, NOTHING_OWN)) {
            continueWith(shape, new ArrayList<>());
        }
    }

    @Test
    @DisplayName("call the next as soon as there is room, and never exceed the whole, in long random sequences")
    void randomSequences() {
        for (int seed = 0; seed < RANDOM_SEQUENCES; seed++) {
            final Random random = new Random(seed);
            final Model model = new Model(List.of(PERMITS, BYTES, NOTHING_OWN).get(seed % 3));
            for (int act = 0; act < ACTS_OF_A_RANDOM_SEQUENCE; act++) {
                final List<Runnable> acts = model.acts();
                acts.get(random.nextInt(acts.size())).run();
            }
            model.end();
        }
    }

    @Test
    @DisplayName("leave a port its own however many are held elsewhere")
    void ownIsThere() {
        final SharedResource resource = new SharedResource("something", PERMITS.max, PERMITS.own, () -> 0);
        final SharedResource.Part busy = resource.part(PERMITS.max);
        for (int i = 0; i < 2 * PERMITS.max; i++) {
            busy.request(new TestHolder("busy"), () -> {});
        }
        final SharedResource.Part late = resource.part(PERMITS.max);
        assertTrue(late.request(new TestHolder("late"), () -> {}).isImmediate());
        assertFalse(late.request(new TestHolder("late"), () -> {}).isImmediate());
    }
}
