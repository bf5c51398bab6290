// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.harness.engine.RunSampler.Moment;
import org.nios2s.harness.load.LoadRecorder;
import org.nios2s.harness.nifi.ProcessUsage;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.result.RunResult.GeneratorMetrics;
import org.nios2s.harness.result.RunResult.ServerMetrics;

/** What a run costs those that have a part in it. Runs on the test's thread, which sets the clock. */
@Timeout(300)
class RunSamplerTest {

    private static final List<ProcessHandle> ONE = List.of(ProcessHandle.current());
    private static final long TRANSACTIONS = 100;

    private final LoadRecorder recorder = new LoadRecorder(Settings.DEFAULTS.load());
    private final AtomicReference<Moment> now = new AtomicReference<>();

    @Test
    void percentagesOfAllProcessesAreOfTheSameTimeAndTheCostIsUntilTheServerRests() throws Exception {
        final RunSampler sampler = run();

        final GeneratorMetrics generator = sampler.generator(TRANSACTIONS);
        final ServerMetrics server = sampler.server(TRANSACTIONS);
        assertEquals(50, generator.cpuPercent(), 0.001);
        assertEquals(75, server.cpuPercent(), 0.001);
        assertEquals(2_400, server.cpuMillis(), 0.001);
        assertEquals(24, server.cpuMillisPerTransaction(), 0.001);
        assertEquals(10, generator.cpuMillisPerTransaction(), 0.001);
    }

    @Test
    void ofNothingAcknowledgedThereIsNoCostOfATransaction() throws Exception {
        assertNull(run().server(0).cpuMillisPerTransaction());
        assertNull(run().generator(0).cpuMillisPerTransaction());
    }

    @Test
    void ofAServerThatHasEndedNothingIsSaid() throws Exception {
        now.set(at(0, 0, usage(0)));
        final RunSampler sampler = RunSampler.start(recorder, ONE, now::get);
        now.set(at(2_000, 1_000, null));
        sampler.stop();

        assertNull(sampler.server(TRANSACTIONS));
        assertEquals(50, sampler.generator(TRANSACTIONS).cpuPercent(), 0.001);
    }

    /** Two seconds of load; three more until the server has worked off what it took on. */
    private RunSampler run() throws InterruptedException {
        now.set(at(0, 0, usage(0)));
        final RunSampler sampler = RunSampler.start(recorder, ONE, now::get);
        now.set(at(2_000, 1_000, usage(1_500)));
        sampler.stop();
        now.set(at(5_000, 1_000, usage(2_400)));
        sampler.stillAtWork();
        return sampler;
    }

    private static Moment at(final long millis, final long ownMillis, final ProcessUsage server) {
        final Duration since = Duration.ofMillis(millis);
        return new Moment(
                since.toNanos(), Instant.EPOCH.plus(since), 0, Map.of(), Duration.ofMillis(ownMillis), server, null);
    }

    private static ProcessUsage usage(final long cpuMillis) {
        return new ProcessUsage(Duration.ofMillis(cpuMillis), 1 << 20, 1 << 19, 10);
    }
}
