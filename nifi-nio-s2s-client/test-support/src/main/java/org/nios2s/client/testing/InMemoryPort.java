// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.TransactionTimings;

/** The base of both kinds of ports in memory: a name, and failures to come. Any thread; guarded by itself. */
abstract class InMemoryPort {
    private static final String PEER = "in-memory:0";

    private final String name;
    private final BooleanSupplier isClosed;
    private final String commsId = UUID.randomUUID().toString();
    private final Deque<TransactionException> failures = new ArrayDeque<>();

    InMemoryPort(final String name, final BooleanSupplier isClosed) {
        this.name = name;
        this.isClosed = isClosed;
    }

    final String name() {
        return name;
    }

    final String peer() {
        return PEER;
    }

    final String commsId() {
        return commsId;
    }

    /** The NiFi is closed: what waits ends. */
    abstract void closed();

    final synchronized void willFail(final TransactionException failure) {
        failures.add(failure);
    }

    /** @return what is to be thrown now */
    final synchronized Optional<TransactionException> takeFailure() {
        if (isClosed.getAsBoolean()) {
            return Optional.of(failure(TransactionStep.FIND_PEER, FailureReason.CLIENT_CLOSED, "The client is closed"));
        }
        return Optional.ofNullable(failures.poll());
    }

    final TransactionException failure(final TransactionStep step, final FailureReason reason, final String message) {
        return TransactionException.builder(step, reason)
                .peer(PEER)
                .port(name)
                .commsId(commsId)
                .message(message)
                .build();
    }

    final TransactionResult result(final long packets, final long bytes, final boolean destinationFull) {
        return new TransactionResult(
                packets,
                bytes,
                Duration.ZERO,
                PEER,
                name,
                commsId,
                destinationFull,
                new TransactionTimings(Duration.ZERO, Duration.ZERO, Duration.ZERO));
    }
}
