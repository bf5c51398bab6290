// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.Direction;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Outcomes;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.TransactionTimings;
import org.nios2s.client.internal.connection.Attempt;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.ClientConnection;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.transaction.Engine;

/** An attempt ends while another thread closes the client again and again: what the attempt knows is what is told. */
class CallOutcomeTest {
    private static final int RACES = 20_000;
    private static final Endpoint PORT = Endpoint.of("127.0.0.1", 1, "port-id");

    /** Ends when the test says so. */
    private static final class ManualAttempt extends Attempt {
        ManualAttempt() {
            super(PORT, CallOptions.DEFAULTS);
        }

        @Override
        protected void run(final ClientConnection taken) {
            // It never gets a connection.
        }

        @Override
        protected void abandon(final TransactionException failure) {
            // It never runs.
        }
    }

    private final AtomicInteger completed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicReference<Call> current = new AtomicReference<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private Engine engine;
    private CallRegistry calls;
    private Thread closing;

    @BeforeEach
    void start() {
        engine = new Engine();
        calls = new CallRegistry(engine, Runnable::run, new ClientObserver() {
            @Override
            public void transactionCompleted(final Direction direction, final TransactionResult result) {
                completed.incrementAndGet();
            }

            @Override
            public void transactionFailed(final Direction direction, final TransactionException failure) {
                failed.incrementAndGet();
            }
        });
        closing = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                final Call call = current.get();
                if (call != null) {
                    call.closed();
                }
            }
        });
    }

    @AfterEach
    void stop() throws InterruptedException {
        over.set(true);
        closing.join();
        engine.close();
    }

    private Call raced(final Consumer<Attempt> end) {
        final ManualAttempt attempt = new ManualAttempt();
        final Call call = new Call(
                calls,
                new CallRequest(
                        new SinglePeerSelector(PORT),
                        Direction.SEND,
                        CallOptions.DEFAULTS,
                        RetryPolicy.never(),
                        failure -> true,
                        (port, options) -> attempt),
                Runnable::run);
        call.begin();
        current.set(call);
        end.accept(attempt);
        return call;
    }

    @Test
    void whatNiFiHasTakenIsNeverToldAsFailed() throws Exception {
        final TransactionTimings timings = new TransactionTimings(Duration.ZERO, Duration.ZERO, Duration.ZERO);
        final TransactionResult done =
                new TransactionResult(1, 1, Duration.ZERO, PORT.peer(), "port", "comms", false, timings);
        for (int i = 0; i < RACES; i++) {
            final Call call = raced(attempt -> attempt.result().complete(done));
            assertEquals(1, Outcomes.await(call.result()).packets());
        }
        assertEquals(RACES, completed.get());
        assertEquals(0, failed.get());
    }

    @Test
    void anOutcomeThatIsUnknownIsNeverToldAsKnown() {
        final TransactionException lost =
                PORT.failure(TransactionStep.COMPLETE, FailureReason.CONNECTION_LOST, "planned", null);
        for (int i = 0; i < RACES; i++) {
            final Call call = raced(attempt -> attempt.result().completeExceptionally(lost));
            assertTrue(Outcomes.failureOf(call.result()).isOutcomeUnknown());
        }
        assertEquals(RACES, failed.get());
    }
}
