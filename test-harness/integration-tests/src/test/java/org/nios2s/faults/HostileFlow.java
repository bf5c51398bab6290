// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.nios2s.harness.load.ClientLoadGenerator;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.PacketId;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.wire.WireLoadClients;
import org.nios2s.harness.nifi.NifiNode;

/**
 * Fills the queue from which peers pull.
 * For one thread.
 */
final class HostileFlow {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private HostileFlow() {}

    /** Pushes FlowFiles into {@code loop-in}: they wait at {@code loop-out}. */
    static void fill(final NifiNode nifi, final int flowFiles, final int bytes) throws InterruptedException {
        final LoadSettings load = new LoadSettings(
                1,
                flowFiles,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                PATIENCE,
                LoadSettings.Shape.push(1, bytes),
                LoadSettings.Connection.KEPT);
        final TargetAddress target = new TargetAddress(
                nifi.info().s2sHost(),
                nifi.info().s2sPort(),
                nifi.portId("loop-in"),
                URI.create(nifi.info().api()));
        final String run = PacketId.newRun();
        final LoadOutcome outcome = new ClientLoadGenerator(
                        run, load, () -> new WireLoadClients(run, load, List.of(target), null, false))
                .drive();
        if (outcome.failed() > 0) {
            throw new IllegalStateException("The queue could not be filled: " + outcome);
        }
    }
}
