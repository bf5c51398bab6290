// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** What tests wait for and expect. Lives on the test's thread. */
public final class Outcomes {
    /** What no test runs into, however busy the machine is. */
    public static final Duration NEVER = Duration.ofMinutes(2);

    /** Time in which a peer on this machine comes to the point where it stalls, even if the machine is busy. */
    public static final Duration IMPATIENT = Duration.ofSeconds(1);

    private Outcomes() {}

    public static <T> T await(final CompletableFuture<T> future) throws Exception {
        return future.get(NEVER.toSeconds(), TimeUnit.SECONDS);
    }

    public static TransactionException failureOf(final CompletableFuture<?> future) {
        final ExecutionException failure =
                assertThrows(ExecutionException.class, () -> future.get(NEVER.toSeconds(), TimeUnit.SECONDS));
        return assertInstanceOf(TransactionException.class, failure.getCause());
    }

    public static TransactionException assertFails(
            final CompletableFuture<?> future, final TransactionStep step, final FailureReason reason) {
        final TransactionException failure = failureOf(future);
        assertEquals(step + " " + reason, failure.step() + " " + failure.reason(), failure::getMessage);
        return failure;
    }

    public static Packet packet(final String content) {
        return Packet.of(Map.of("filename", content + ".txt"), content.getBytes());
    }

    /** Takes one packet. */
    @FunctionalInterface
    public interface PacketTaker {
        void take(ReceivedPacket packet) throws Exception;
    }

    /** @return a handler that takes packet after packet */
    public static BatchHandler each(final PacketTaker taker) {
        return batch -> {
            for (final ReceivedPacket packet : batch) {
                taker.take(packet);
            }
        };
    }
}
