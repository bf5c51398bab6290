// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import java.util.List;
import java.util.Map;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.load.PacketId;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.RestClient;

/**
 * A processor inside NiFi that makes FlowFiles, to be pulled from an output port or sent by a Remote Process Group. Used on the command's thread.
 *
 * @param nifi        where it is; it may be restarted
 * @param source      the processor
 * @param destination what it feeds
 */
public record FlowFileSource(NifiNode nifi, Component source, Component destination) {

    private static final String TYPE = "org.nios2s.harness.sink.PacketSource";
    private static final int FEED_QUEUE = 10_000;
    private static final int FEED_COMMIT = 20;
    private static final long NO_BYTES_LIMIT = 1L << 40;

    /** A stopped source that nothing takes from yet. */
    static FlowFileSource unconnected(final NifiNode nifi, final String name) {
        return new FlowFileSource(nifi, nifi.flow().createProcessor(name, TYPE), null);
    }

    static BackPressure limited() {
        return new BackPressure(FEED_QUEUE, NO_BYTES_LIMIT);
    }

    private FlowFileSource(
            final NifiNode nifi,
            final String name,
            final Component destination,
            final int tasks,
            final BackPressure backPressure) {
        this(nifi, nifi.flow().createProcessor(name, TYPE), destination);
        flow().setConcurrentTasks(source, tasks);
        flow().connect(source, destination, backPressure);
    }

    /** A stopped source into an output port of its own: what nobody pulls stays there, and is met by nobody else. */
    static FlowFileSource intoPort(final NifiNode nifi, final String name, final int tasks, final boolean secure) {
        final FlowClient flow = nifi.flow();
        final Component port = flow.ensurePort(ComponentKind.OUTPUT_PORT, name, tasks);
        final FlowFileSource made = new FlowFileSource(nifi, "feed-source", port, 1, limited());
        if (secure) {
            nifi.policies().grantPorts(List.of(port));
        }
        flow.start(port);
        return made;
    }

    /** A restarted NiFi has another one. */
    FlowClient flow() {
        return nifi.flow();
    }

    /** Makes FlowFiles from now on, as fast as they are taken. */
    void start(final Shape shape) {
        start(PacketId.newRun(), shape);
    }

    /** Makes the FlowFiles of a run from now on, as fast as they are taken. */
    void start(final String run, final Shape shape) {
        start(run, shape, FEED_COMMIT);
    }

    /** The FlowFiles that it has made and nobody has taken yet. */
    long queued() {
        return flow().queuedFlowFiles(flow().findConnection(source, destination).orElseThrow());
    }

    /** Transactions whose FlowFiles it has made since its NiFi was started. */
    long made() {
        return RestClient.stream(flow().rest().get("/counters").requiredAt("/counters/aggregateSnapshot/counters"))
                .filter(counter -> counter.required("name").asText().equals("made")
                        && counter.required("context").asText().contains(source.id()))
                .findFirst()
                .map(counter -> counter.required("valueCount").asLong())
                .orElse(0L);
    }

    /** Makes the FlowFiles of a run, so many transactions per commit. */
    public void start(final String run, final Shape shape, final int commit) {
        flow().setProperties(
                        source,
                        Map.of(
                                "Run", run,
                                "Transactions per Commit", Integer.toString(commit),
                                "Packets", Integer.toString(shape.packets()),
                                "Packet Size", Long.toString(shape.size().largest()),
                                "Attributes", Integer.toString(shape.attributes()),
                                "Attribute Size", Integer.toString(shape.attributeSize())));
        flow().start(source);
    }

    public void stop() {
        flow().stop(source);
    }
}
