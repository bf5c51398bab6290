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
 * A processor inside NiFi that makes FlowFiles, to be pulled from an output port. Used on the command's thread.
 *
 * @param nifi        where it is
 * @param source      the processor
 * @param destination the port that it feeds
 */
record FlowFileSource(NifiNode nifi, Component source, Component destination) {

    private static final String TYPE = "org.nios2s.harness.sink.PacketSource";
    private static final int QUEUE = 10_000;
    private static final int TRANSACTIONS_PER_COMMIT = 20;
    private static final long COMMIT_BYTES = 64L << 20;

    /**
     * A stopped source into an output port of its own, and nothing between them. In a NiFi that runs on, an earlier measurement may
     * have left both, with FlowFiles of another shape.
     */
    static FlowFileSource intoPort(
            final NifiNode nifi, final String name, final int tasks, final long maxBytes, final boolean secure) {
        final FlowClient flow = nifi.flow();
        final Component port = flow.ensurePort(ComponentKind.OUTPUT_PORT, name, tasks);
        final String sourceName = "source of " + name;
        final Component source =
                flow.find(ComponentKind.PROCESSOR, sourceName).orElseGet(() -> flow.createProcessor(sourceName, TYPE));
        flow.stop(source);
        final Component queue = flow.findConnection(source, port)
                .orElseGet(() -> flow.connect(source, port, new BackPressure(QUEUE, maxBytes)));
        flow.empty(queue);
        if (secure) {
            nifi.policies().grantPorts(List.of(port));
        }
        flow.start(port);
        return new FlowFileSource(nifi, source, port);
    }

    private FlowClient flow() {
        return nifi.flow();
    }

    /** Makes FlowFiles from now on, as fast as they are taken. */
    void start(final Shape shape) {
        flow().setProperties(
                        source,
                        Map.of(
                                "Run", PacketId.newRun(),
                                "Transactions per Commit", Integer.toString(transactionsPerCommit(shape)),
                                "Packets", Integer.toString(shape.packets()),
                                "Packet Size", Long.toString(shape.size().largest()),
                                "Attributes", Integer.toString(shape.attributes()),
                                "Attribute Size", Integer.toString(shape.attributeSize())));
        flow().start(source);
    }

    /** A commit of large contents would let clients wait for all of them. */
    private static int transactionsPerCommit(final Shape shape) {
        final long bytes = Math.max(1, shape.packets() * shape.size().largest());
        return Math.clamp(COMMIT_BYTES / bytes, 1, TRANSACTIONS_PER_COMMIT);
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

    void stop() {
        flow().stop(source);
    }
}
