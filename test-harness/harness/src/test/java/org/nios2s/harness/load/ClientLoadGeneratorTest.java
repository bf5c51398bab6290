// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of {@link ClientLoadGenerator} with clients that are made up. Runs on the test's thread. */
@Timeout(60)
class ClientLoadGeneratorTest {

    @Test
    void pullersEndWithTheirTimeWhereThePortHasNothing() throws Exception {
        final LoadSettings settings = new LoadSettings(
                2,
                LoadSettings.UNLIMITED,
                Duration.ofMillis(50),
                Duration.ZERO,
                Duration.ZERO,
                Duration.ofSeconds(1),
                LoadSettings.Shape.push(1, 1),
                LoadSettings.Connection.KEPT);
        final LoadOutcome outcome = new ClientLoadGenerator("run", settings, () -> client -> new EmptyClient()).drive();

        assertEquals(0, outcome.successes());
        assertEquals(0, outcome.failed());
    }

    /** Finds nothing in its port. */
    private static final class EmptyClient implements LoadClient {
        private final ScheduledExecutorService pacer = Executors.newSingleThreadScheduledExecutor();

        @Override
        public ScheduledExecutorService pacer() {
            return pacer;
        }

        @Override
        public void begin(final int transaction, final TransactionTimes times, final Listener listener) {
            listener.empty();
        }

        @Override
        public void close() {
            pacer.shutdown();
        }
    }
}
