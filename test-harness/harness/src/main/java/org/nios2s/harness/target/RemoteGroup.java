// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.ConnectionEnd;
import org.nios2s.harness.nifi.Deadline;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.RemoteGroupClient;

/**
 * A Remote Process Group of another NiFi, through which a processor's FlowFiles go from one NiFi to the other. For one
 * thread at a time; a call waits for NiFi.
 */
public final class RemoteGroup {

    private static final Duration POLL = Duration.ofMillis(200);

    private final FlowFileSource source;
    private final Component queue;
    private final List<Path> parcels;
    private long madeBefore;

    private RemoteGroup(final FlowFileSource source, final Component queue, final List<Path> parcels) {
        this.source = source;
        this.queue = queue;
        this.parcels = parcels;
    }

    /** One that pushes into the input port of a name. */
    static RemoteGroup pushing(final NifiNode from, final String group, final String port, final List<Path> parcels) {
        final RemoteGroupClient groups = from.remoteGroups();
        final FlowFileSource source = FlowFileSource.unconnected(from, "group-source");
        final ConnectionEnd remote = groups.port(group, ComponentKind.INPUT_PORT, port);
        final Component queue = groups.connect(source.source(), remote, FlowFileSource.limited());
        groups.setTransmitting(group, true);
        return new RemoteGroup(source, queue, parcels);
    }

    /** One that pulls into the sink of its own NiFi what a source puts into an output port of the other. */
    static RemoteGroup pulling(final NifiNode to, final String group, final Feed feed, final List<Path> parcels) {
        final RemoteGroupClient groups = to.remoteGroups();
        final FlowFileSource source = feed.source();
        final FlowClient flow = to.flow();
        final ConnectionEnd remote = groups.port(group, ComponentKind.OUTPUT_PORT, feed.port());
        final Component sink = flow.find(ComponentKind.PROCESSOR, "sink").orElseThrow();
        groups.connect(remote, sink, FlowFileSource.limited());
        groups.setTransmitting(group, true);
        final Component queue = source.flow()
                .findConnection(source.source(), source.destination())
                .orElseThrow();
        return new RemoteGroup(source, queue, parcels);
    }

    /** The files to which the sink of the receiving NiFi writes its parcels. */
    public List<Path> parcels() {
        return parcels;
    }

    /** Makes FlowFiles of a run from now on, as fast as they are taken. */
    public void start(final String run, final Shape shape) {
        madeBefore = source.made();
        source.start(run, shape);
    }

    /** Makes no more, and waits until what was made has left; returns the transactions that were made. */
    public int stop(final Duration patience, final BooleanSupplier giveUp) throws InterruptedException {
        source.stop();
        final Deadline deadline = Deadline.after(patience);
        while (source.flow().queuedFlowFiles(queue) > 0 && !deadline.passed() && !giveUp.getAsBoolean()) {
            Thread.sleep(POLL);
        }
        return Math.toIntExact(source.made() - madeBefore);
    }
}
