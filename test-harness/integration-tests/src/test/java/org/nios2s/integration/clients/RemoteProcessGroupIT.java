// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.RemoteGroupClient;
import org.nios2s.integration.SharedNifi;

/**
 * Contents and attributes on their way through a Remote Process Group of a second NiFi, as it comes, to our listener and
 * back over RAW.
 * For one thread.
 */
@ResourceLock(SharedNifi.Lock.NIO)
@ResourceLock(SharedNifi.Lock.STOCK)
class RemoteProcessGroupIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String CLIENT = "2.3.0";
    private static final String TO_REMOTE = "to-remote";
    private static final String FROM_REMOTE = "from-remote";

    private static NifiNode other;

    @BeforeAll
    static void start() {
        other = SharedNifi.STOCK.get();
    }

    @Test
    void whatItSendsItReceivesUnchanged() throws Exception {
        final FlowClient flow = other.flow();
        final Component toRemote = flow.ensurePort(ComponentKind.INPUT_PORT, TO_REMOTE, 1);
        final Component fromRemote = flow.ensurePort(ComponentKind.OUTPUT_PORT, FROM_REMOTE, 1);
        final RemoteGroupClient groups = new RemoteGroupClient(other.rest());
        final String group = groups.create(SharedNifi.NIO.withEmptyLoop().info());
        groups.connect(toRemote, groups.port(group, ComponentKind.INPUT_PORT, "loop-in"), BackPressure.generous());
        groups.connect(groups.port(group, ComponentKind.OUTPUT_PORT, "loop-out"), fromRemote, BackPressure.generous());
        flow.start(toRemote);
        flow.start(fromRemote);
        groups.setTransmitting(group, true);
        final Packets sent = Packets.various("remote-");
        final Packets arrived = Packets.none();

        try (ClientVersion client = ClientVersion.load(CLIENT)) {
            client.push(PortAccess.settings(other.info(), TO_REMOTE, false), sent.attributes(), sent.contents());
            Awaitility.await().atMost(PATIENCE).until(() -> {
                client.pull(
                        PortAccess.settings(other.info(), FROM_REMOTE, false),
                        arrived.attributes(),
                        arrived.contents());
                return arrived.size() >= sent.size();
            });
        } finally {
            groups.setTransmitting(group, false);
        }

        sent.assertArrivedAs(arrived);
    }
}
