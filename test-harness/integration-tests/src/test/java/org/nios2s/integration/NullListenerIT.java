// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.harness.engine.LoadRun;
import org.nios2s.harness.engine.ShutdownHook;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.Processors;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.RunResult.Place;
import org.nios2s.harness.target.NullPortTarget;

/**
 * Either listener serves in a process of its own, without NiFi.
 * Runs on the thread of the tests; starts and ends a process for each.
 */
class NullListenerIT {

    private static final int CLIENTS = 8;
    private static final int TRANSACTIONS = 50;
    private static final int LARGE_PACKET = 2 * 1024 * 1024;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int END_SECONDS = 10;
    private static final Place PLACE = new Place("", "null", 1, 1);

    @ParameterizedTest
    @EnumSource(Listener.class)
    void aListenerTakesSmallAndLargeTransactionsAndEndsWithItsOwner(final Listener listener) throws Exception {
        final ProcessHandle process;
        try (ShutdownHook interruption = ShutdownHook.install();
                NullPortTarget nifi =
                        NullPortTarget.start(listener, 4, Processors.ALL, Map.of(), List.of("-Xmx256m"))) {
            process = nifi.target().process();
            final Settings settings =
                    Settings.DEFAULTS.with("listener", listener.name().toLowerCase(Locale.ROOT));
            final LoadRun load = new LoadRun(settings, nifi, interruption);

            final RunResult small = load.run(PLACE, load(TRANSACTIONS, 10)).result();
            final RunResult large = load.run(PLACE, load(1, LARGE_PACKET)).result();

            assertTrue(small.flawless(), () -> "failures: " + small.load().failuresByCause());
            assertEquals(CLIENTS * TRANSACTIONS, small.load().transactions());
            assertTrue(large.flawless(), () -> "failures: " + large.load().failuresByCause());
        }
        process.onExit().get(END_SECONDS, TimeUnit.SECONDS);
    }

    private static LoadSettings load(final int transactions, final int packetSize) {
        return new LoadSettings(
                CLIENTS,
                transactions,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                TIMEOUT,
                LoadSettings.Shape.push(2, packetSize),
                LoadSettings.Connection.KEPT);
    }
}
