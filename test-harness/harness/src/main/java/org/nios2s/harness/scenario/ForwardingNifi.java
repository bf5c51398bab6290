// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.scenario;

import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.RemoteGroupClient;
import org.nios2s.harness.nifi.RemotePort;

/**
 * A NiFi that stores what it receives and passes it on to others with Remote Process Groups. For one thread at a time.
 */
public final class ForwardingNifi implements AutoCloseable {

    private static final String DESTINATION = "input";

    private final EmbeddedNifi nifi;
    private final int portTasks;

    /**
     * A NiFi that forwards nothing yet.
     *
     * @param nifi      the NiFi, closed with this
     * @param portTasks concurrent tasks of its ports
     */
    public ForwardingNifi(final EmbeddedNifi nifi, final int portTasks) {
        this.nifi = nifi;
        this.portTasks = portTasks;
    }

    /**
     * Opens the way to another NiFi: a port of its own, and a Remote Process Group behind it.
     *
     * @param receiver where it leads to
     * @return the way as a target: clients push into this NiFi, process and ledger are the receiver's
     */
    public Target wayTo(final EmbeddedNifi receiver) {
        final NifiInstance sender = nifi.instance();
        final FlowClient flow = sender.flow();
        final Target end = receiver.target();
        final Component port = flow.ensurePort(ComponentKind.INPUT_PORT, "to-" + end.name(), portTasks);
        final RemoteGroupClient groups = sender.remoteGroups();
        final String group = groups.create(receiver.instance().instance());
        final RemotePort destination = groups.inputPort(group, DESTINATION);
        groups.connect(port, destination, BackPressure.generous());
        flow.start(port);
        groups.setTransmitting(group, true);
        final TargetAddress own = nifi.target().address();
        return new Target(
                end.name(),
                new TargetAddress(own.host(), own.port(), port.id(), own.api()),
                end.process(),
                end.packetIds(),
                nifi.target().tls());
    }

    /**
     * The process that forwards.
     *
     * @return the NiFi's
     */
    public ProcessHandle process() {
        return nifi.target().process();
    }

    @Override
    public void close() {
        nifi.close();
    }
}
