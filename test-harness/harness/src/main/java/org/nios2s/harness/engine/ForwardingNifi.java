// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.util.List;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.RemoteGroupClient;
import org.nios2s.harness.nifi.RemotePort;

/**
 * A NiFi behind another one: what goes into the first is stored there, and its Remote Process Group passes it on. Used on
 * the command's thread.
 */
final class ForwardingNifi implements MeasuredNifi {

    private static final String DESTINATION = "input";

    private final EmbeddedNifi sender;
    private final EmbeddedNifi receiver;
    private final Target way;

    /** Joins two NiFis, both of which {@link #close} stops. */
    ForwardingNifi(final EmbeddedNifi sender, final EmbeddedNifi receiver, final int portTasks) {
        this.sender = sender;
        this.receiver = receiver;
        final NifiInstance nifi = sender.instance();
        final FlowClient flow = nifi.flow();
        final Target end = receiver.target();
        final Component port = flow.ensurePort(ComponentKind.INPUT_PORT, "to-" + end.name(), portTasks);
        final RemoteGroupClient groups = nifi.remoteGroups();
        final String group = groups.create(receiver.instance().instance());
        final RemotePort destination = groups.inputPort(group, DESTINATION);
        groups.connect(port, destination, BackPressure.generous());
        flow.start(port);
        groups.setTransmitting(group, true);
        final TargetAddress own = sender.target().address();
        this.way = new Target(
                end.name(),
                new TargetAddress(own.host(), own.port(), port.id(), own.api()),
                end.process(),
                end.packetIds(),
                sender.target().tls());
    }

    @Override
    public Target target() {
        return way;
    }

    @Override
    public NifiInstance instance() {
        return receiver.instance();
    }

    @Override
    public List<ProcessHandle> helpers() {
        return sender.target().processes();
    }

    @Override
    public void close() {
        sender.close();
        receiver.close();
    }
}
