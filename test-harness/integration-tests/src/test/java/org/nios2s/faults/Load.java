// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Clients of each kind, which go on until they are closed: small and streamed pushes, a loop in which what is pushed is pulled
 * back. For one thread; each client has one of its own.
 */
final class Load implements AutoCloseable {

    static final int SMALL_BYTES = 1_000;
    static final int LARGE_BYTES = 2_500_000;

    private static final int SMALL_CLIENTS = 8;
    private static final int LARGE_CLIENTS = 2;
    private static final int PULL_CLIENTS = 2;
    private static final int PULL_BYTES = 100_000;
    private static final int BEFORE_FAULT = 40;
    private static final int AFTER_FAULT = 40;
    private static final int LARGE_AFTER_FAULT = 4;

    /** How clients get to a port. */
    @FunctionalInterface
    interface Entrance {
        FaultPeer open(String port, Consumer<FaultPeer.Step> steps) throws IOException;
    }

    private final String name;
    private final Entrance entrance;
    private final ResendingSenders small;
    private final ResendingSenders large;
    private final ResendingSenders looped;
    private final Pullers pullers;
    private final List<ResendingSenders> intoTheSink = new ArrayList<>();

    Load(final String name, final Entrance entrance) {
        this.name = name;
        this.entrance = entrance;
        small = join("small", SMALL_CLIENTS, SMALL_BYTES, step -> {});
        large = join("large", LARGE_CLIENTS, LARGE_BYTES, step -> {});
        looped = ResendingSenders.start(name + "-looped", 1, PULL_BYTES, () -> entrance.open("loop-in", step -> {}));
        pullers = Pullers.start(PULL_CLIENTS, () -> entrance.open("loop-out", step -> {}));
    }

    /** Starts more clients that push into the sink. */
    ResendingSenders join(final String kind, final int clients, final int bytes, final Consumer<FaultPeer.Step> steps) {
        return join(kind, clients, bytes, () -> entrance.open("input", steps));
    }

    /** The same, with connections of their own. */
    ResendingSenders join(
            final String kind, final int clients, final int bytes, final ResendingSenders.Connector connector) {
        final ResendingSenders senders = ResendingSenders.start(name + "-" + kind, clients, bytes, connector);
        intoTheSink.add(senders);
        return senders;
    }

    /** Starts one more client that pulls. */
    void joinPullers(final Consumer<FaultPeer.Step> steps) {
        pullers.join(() -> entrance.open("loop-out", steps));
    }

    /** Pushes and pulls that have failed so far. */
    long failures() {
        return small.failures() + large.failures() + looped.failures() + pullers.failures();
    }

    /** Waits until more has gone through the loop. */
    void awaitPulls() {
        looped.awaitMore(2);
        pullers.awaitMore(2);
    }

    void awaitProgress() {
        small.awaitMore(BEFORE_FAULT);
        large.awaitMore(1);
        pullers.awaitMore(1);
    }

    /** Waits until every kind of client is served again; says how long that took. */
    Duration awaitRecovery() {
        final Duration smallAgain = small.awaitMore(AFTER_FAULT);
        return smallAgain.plus(large.awaitMore(LARGE_AFTER_FAULT)).plus(pullers.awaitMore(2));
    }

    /** Whether all that was acknowledged has arrived, and more often only where there was a doubt. */
    void judge(final List<String> arrived) {
        for (final ResendingSenders senders : intoTheSink) {
            assertEquals(Set.of(), senders.missing(arrived), "acknowledged and not in the ledger");
            assertEquals(Set.of(), senders.inexplicable(arrived), "in the ledger too often");
        }
        assertEquals(Set.of(), looped.missing(pullers.received()), "acknowledged and not pulled");
        assertEquals(Set.of(), pullers.inexplicable(looped), "pulled too often");
    }

    /** Ends all, whatever happens with one of them. */
    @Override
    public void close() {
        RuntimeException failure = null;
        final List<Runnable> ends = new ArrayList<>();
        intoTheSink.forEach(senders -> ends.add(senders::close));
        ends.add(looped::close);
        ends.add(() -> pullers.drain(looped));
        for (final Runnable end : ends) {
            try {
                end.run();
            } catch (final RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String toString() {
        return "small: %s; large: %s; pulled: %s".formatted(small, large, pullers);
    }
}
