// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.scenario;

import java.time.Duration;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.wire.PeerCrowd;
import org.nios2s.harness.load.wire.PeerCrowd.Attendance;
import org.nios2s.harness.load.wire.PeerCrowd.Habit;
import org.nios2s.harness.load.wire.PeerCrowd.Plan;
import org.nios2s.harness.load.wire.WireTls;
import org.nios2s.harness.scenario.LoadScenario.Measured;

/**
 * A load beside peers that send a byte per second inside a transaction of theirs. Runs on the command's thread.
 */
public final class SlowPeersScenario {

    private static final int GATHERED_PER_SECOND = 500;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final LoadScenario scenario;

    /**
     * A scenario for any number of runs.
     *
     * @param scenario runs the load
     */
    public SlowPeersScenario(final LoadScenario scenario) {
        this.scenario = scenario;
    }

    /**
     * A load and the slow peers beside it.
     *
     * @param measured   the load
     * @param attendance of the slow peers when the load had ended
     */
    public record Beside(Measured measured, Attendance attendance) {}

    /**
     * Runs the load once, after the slow peers have begun their transactions.
     *
     * @param load   what to send
     * @param target where to
     * @param peers  how many slow peers
     * @return what was measured
     * @throws HarnessException     when not all of them could begin
     * @throws InterruptedException when the calling thread was interrupted
     */
    public Beside run(final LoadSettings load, final Target target, final int peers) throws InterruptedException {
        final Plan plan = new Plan(peers, GATHERED_PER_SECOND, Habit.TRICKLE, TIMEOUT);
        try (PeerCrowd crowd = PeerCrowd.gather(plan, target.address(), WireTls.client(target.tls()))) {
            final boolean gathered = crowd.awaitGathered(PATIENCE);
            if (!gathered || crowd.attendance().present() < peers) {
                throw new HarnessException("Not all slow peers could begin a transaction at %s: %s"
                        .formatted(target.name(), crowd.attendance()));
            }
            final Measured measured = scenario.run(load, target);
            return new Beside(measured, crowd.attendance());
        }
    }
}
