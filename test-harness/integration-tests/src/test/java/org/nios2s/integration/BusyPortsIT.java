// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.scenario.BusyPortsScenario;
import org.nios2s.harness.scenario.EmbeddedNifi;

/**
 * More busy ports than timer-driven threads leave threads to the rest of the flow.
 * Runs on the thread of the tests, with a NiFi of its own.
 */
class BusyPortsIT {

    private static final int PORTS = 20;
    private static final int TASKS = 4;
    private static final int POOL_THREADS = 10;
    private static final int CLIENTS = 5;
    private static final int TRANSACTIONS = 50;

    @Test
    void anotherProcessorRunsBesideMoreBusyPortsThanThePoolHasThreads() throws InterruptedException {
        final LoadSettings load = new LoadSettings(
                CLIENTS, TRANSACTIONS, Duration.ZERO, 5, 10, Duration.ZERO, Duration.ZERO, Duration.ofSeconds(60));
        try (EmbeddedNifi nifi = EmbeddedNifi.start(NifiOptions.builder()
                .home(Path.of("target", "nifi-homes", "busy-ports"))
                .listener(Listener.NIO)
                .heap("512m")
                .build())) {
            final BusyPortsScenario scenario = new BusyPortsScenario(nifi, PORTS, TASKS, POOL_THREADS);

            final BusyPortsScenario.Share share = scenario.busy(load);

            assertEquals(0, share.failures());
            assertTrue(share.transactionsPerSecond() > 0, share::toString);
            assertTrue(share.triggersPerSecond() > 0, share::toString);
        }
    }
}
