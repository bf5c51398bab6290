// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.engine.BusyPorts;
import org.nios2s.harness.engine.EmbeddedNifi;
import org.nios2s.harness.engine.Interruption;
import org.nios2s.harness.engine.LoadRun;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.RunResult.Place;

/**
 * More busy ports than timer-driven threads leave threads to the rest of the flow.
 * Runs on the thread of the tests, with a NiFi of its own.
 */
class BusyPortsIT {

    private static final int PORTS = 20;
    private static final int TASKS = 4;
    private static final int POOL_THREADS = 10;
    private static final int CLIENTS = 100;
    private static final int TRANSACTIONS = 50;

    @Test
    void anotherProcessorRunsBesideMoreBusyPortsThanThePoolHasThreads() throws InterruptedException {
        final Settings settings = Settings.DEFAULTS
                .with("ports", Integer.toString(PORTS))
                .with("clients", Integer.toString(CLIENTS))
                .with("transactions", Integer.toString(TRANSACTIONS));
        final EmbeddedNifi nifi = EmbeddedNifi.start(NifiOptions.builder()
                .home(Path.of("target", "nifi-homes", "busy-ports"))
                .listener(Listener.NIO)
                .heap("512m")
                .build());
        nifi.instance().flow().setTimerDrivenThreads(POOL_THREADS);
        try (Interruption interruption = Interruption.install();
                BusyPorts busy = new BusyPorts(nifi, PORTS, TASKS)) {
            final long before = BusyPorts.triggers(busy.instance());

            final RunResult run = new LoadRun(settings, busy, interruption)
                    .run(new Place("", "nio", 1, 1), settings.load(), null)
                    .result();

            assertTrue(run.flawless(), () -> "failures: " + run.failuresByCause());
            assertTrue(BusyPorts.triggers(busy.instance()) > before);
        }
    }
}
