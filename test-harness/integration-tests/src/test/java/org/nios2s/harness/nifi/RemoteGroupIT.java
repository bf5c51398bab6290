// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A second NiFi whose remote process group pushes to and pulls from a NiFi with the NIO listener, over RAW.
 * Both NiFis serve all tests, which run one after the other on one thread.
 */
class RemoteGroupIT {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int PACKETS = 50;

    private static NifiInstance served;
    private static NifiInstance remote;

    @BeforeAll
    static void start() {
        served = NifiInstance.start(options("served", Listener.NIO));
        remote = NifiInstance.start(options("remote", Listener.STOCK));
    }

    @AfterAll
    static void stop() {
        if (remote != null) {
            remote.stop();
        }
        if (served != null) {
            served.stop();
        }
    }

    @Test
    void aRemoteProcessGroupPushesWhatItsNifiReceives() throws IOException {
        final SinkLedger before = served.ledger();
        final FlowClient flow = remote.flow();
        final Component source = flow.ensurePort(ComponentKind.INPUT_PORT, "to-push", 1);
        final RemoteGroupClient groups = remote.remoteGroups();
        final String group = groups.create(served.instance());
        groups.connect(source, groups.port(group, ComponentKind.INPUT_PORT, "input"), BackPressure.generous());
        flow.start(source);
        groups.setTransmitting(group, true);

        try (Peer peer = Peer.of(remote, "to-push")) {
            peer.push("pushed", PACKETS);
        }

        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> served.ledger().since(before).count() >= PACKETS);
        assertEquals(PACKETS, served.ledger().since(before).count());
        groups.setTransmitting(group, false);
    }

    @Test
    void aRemoteProcessGroupPullsWhatTheOtherNifiOffers() throws IOException {
        final SinkLedger before = remote.ledger();
        final FlowClient flow = remote.flow();
        final Component sink = flow.find(ComponentKind.PROCESSOR, "sink").orElseThrow();
        final RemoteGroupClient groups = remote.remoteGroups();
        final String group = groups.create(served.instance());
        flow.stop(sink);
        groups.connect(groups.port(group, ComponentKind.OUTPUT_PORT, "loop-out"), sink, BackPressure.generous());
        flow.start(sink);
        groups.setTransmitting(group, true);

        try (Peer peer = Peer.of(served, "loop-in")) {
            peer.push("pulled", PACKETS);
        }

        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> remote.ledger().since(before).count() >= PACKETS);
        assertEquals(PACKETS, remote.ledger().since(before).count());
        groups.setTransmitting(group, false);
    }

    private static NifiOptions options(final String name, final Listener listener) {
        return new NifiOptions()
                .home(Path.of("target", "nifi-homes", name))
                .listener(listener)
                .heap("1g")
                .fresh(true)
                .stopOnExit(true);
    }
}
