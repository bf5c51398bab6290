// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * {@link Limit} against a model that looks at everything each time: all sequences of a few acts, and long random ones. Lives on
 * the test's thread.
 */
@DisplayName("Two limits below a third")
class LimitModelTest {
    private static final int UPPER = 3;
    private static final int LOWER = 2;
    private static final int LIMITS = 2;
    private static final int PEERS = 2;
    private static final int ACTS_OF_ALL_SEQUENCES = 6;
    private static final int RANDOM_SEQUENCES = 100;
    private static final int ACTS_OF_A_RANDOM_SEQUENCE = 150;

    private enum State {
        WAITING,
        HELD,
        CLOSED
    }

    /** A permit as the model sees it. Lives on the test's thread. */
    private static final class Request {
        private final int limit;
        private final int peer;
        private State state;
        private Limit.Permit permit;

        Request(final int limit, final int peer) {
            this.limit = limit;
            this.peer = peer;
        }
    }

    /** What has happened so far. Lives on the test's thread. */
    private static final class Model {
        private final Limit upper = new Limit(UPPER);
        private final List<Limit> limits = List.of(upper.child(LOWER), upper.child(LOWER));
        private final List<Request> requests = new ArrayList<>();

        private List<Request> in(final State state, final int limit) {
            return requests.stream()
                    .filter(request -> request.state == state && request.limit == limit)
                    .toList();
        }

        private long held(final int limit, final int peer) {
            return in(State.HELD, limit).stream()
                    .filter(request -> request.peer == peer)
                    .count();
        }

        /** Requests are in the order in which they came, and {@code min} takes the first of equals. */
        private Request next(final int limit) {
            return in(State.WAITING, limit).stream()
                    .min(Comparator.comparingLong(request -> held(limit, request.peer)))
                    .orElseThrow();
        }

        private boolean hasRoom(final int limit) {
            final int all = IntStream.range(0, LIMITS)
                    .map(each -> in(State.HELD, each).size())
                    .sum();
            return all < UPPER && in(State.HELD, limit).size() < LOWER;
        }

        void acquire(final int limit, final int peer) {
            final Request request = new Request(limit, peer);
            final boolean expected = in(State.WAITING, limit).isEmpty() && hasRoom(limit);
            request.permit = limits.get(limit).acquire(peer, () -> granted(request));
            assertEquals(expected, request.permit.isImmediate());
            request.state = expected ? State.HELD : State.WAITING;
            requests.add(request);
            check();
        }

        private void granted(final Request request) {
            assertEquals(State.WAITING, request.state);
            assertEquals(next(request.limit), request, "whose turn it is");
            assertTrue(hasRoom(request.limit));
            request.state = State.HELD;
        }

        void close(final int index) {
            final Request request = requests.get(index);
            request.state = State.CLOSED;
            request.permit.close();
            requests.remove(request);
            check();
        }

        private void check() {
            for (int limit = 0; limit < LIMITS; limit++) {
                assertEquals(in(State.HELD, limit).size(), limits.get(limit).held());
                if (!in(State.WAITING, limit).isEmpty()) {
                    assertTrue(!hasRoom(limit), "somebody waits beside room");
                    assertTrue(limits.get(limit).isContended());
                }
            }
        }

        /** Acts that are possible: for each limit and peer an acquisition, then each that can be closed. */
        int acts() {
            return LIMITS * PEERS + requests.size();
        }

        void act(final int number) {
            if (number < LIMITS * PEERS) {
                acquire(number / PEERS, number % PEERS);
            } else {
                close(number - LIMITS * PEERS);
            }
        }

        void end() {
            while (!requests.isEmpty()) {
                close(0);
            }
            assertEquals(0, upper.held());
        }
    }

    @Test
    @DisplayName("call the next as soon as there is room, in every sequence of a few acts")
    void allSequences() {
        final List<Integer> acts = new ArrayList<>();
        continueWith(acts);
    }

    private static void continueWith(final List<Integer> acts) {
        final Model model = new Model();
        acts.forEach(model::act);
        final int possible = model.acts();
        model.end();
        if (acts.size() == ACTS_OF_ALL_SEQUENCES) {
            return;
        }
        for (int next = 0; next < possible; next++) {
            acts.add(next);
            continueWith(acts);
            acts.removeLast();
        }
    }

    @Test
    @DisplayName("call the next as soon as there is room, in long random sequences")
    void randomSequences() {
        for (int seed = 0; seed < RANDOM_SEQUENCES; seed++) {
            final Random random = new Random(seed);
            final Model model = new Model();
            for (int act = 0; act < ACTS_OF_A_RANDOM_SEQUENCE; act++) {
                model.act(random.nextInt(model.acts()));
            }
            model.end();
        }
    }
}
