// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The flow of every NiFi of the harness: {@code input} into the sink, and {@code loop-in} into {@code loop-out}, from
 * which it can be pulled back.
 * For one thread.
 */
final class HarnessFlow {

    static final String INPUT = "input";
    static final String LOOP_IN = "loop-in";
    static final String LOOP_OUT = "loop-out";
    static final String SINK = "sink";

    private static final String SINK_TYPE = "org.nios2s.harness.sink.LedgerSink";
    private static final String LEDGER_DIRECTORY = "Ledger Directory";
    private static final String PACKET_ID_FILE = "Packet Id File";
    private static final String DIGEST_FILE = "Digest File";

    /** Seen from NiFi's working directory, its home: every node of a cluster has the same flow but its own ledger. */
    private static final String OWN_LEDGER = "./ledger";

    private static final int SINK_TASKS = 2;
    private static final int TIMER_DRIVEN_THREADS = 20;

    private final FlowClient flow;
    private List<Component> ports = List.of();

    HarnessFlow(final FlowClient flow) {
        this.flow = flow;
    }

    /** Makes what is missing, and starts all of it: ids of the ports by name. */
    Map<String, String> ensure(final int portTasks) {
        flow.setTimerDrivenThreads(TIMER_DRIVEN_THREADS);
        final Component input = flow.ensurePort(ComponentKind.INPUT_PORT, INPUT, portTasks);
        final Component loopIn = flow.ensurePort(ComponentKind.INPUT_PORT, LOOP_IN, portTasks);
        final Component loopOut = flow.ensurePort(ComponentKind.OUTPUT_PORT, LOOP_OUT, portTasks);
        final Component sink = flow.find(ComponentKind.PROCESSOR, SINK).orElseGet(this::createSink);
        connect(input, sink);
        connect(loopIn, loopOut);
        flow.start(sink);
        flow.start(loopOut);
        flow.start(input);
        flow.start(loopIn);
        ports = List.of(input, loopIn, loopOut);
        final Map<String, String> ids = new LinkedHashMap<>();
        ids.put(INPUT, input.id());
        ids.put(LOOP_IN, loopIn.id());
        ids.put(LOOP_OUT, loopOut.id());
        return ids;
    }

    /** The ports that {@link #ensure} found or made. */
    Collection<Component> ports() {
        return ports;
    }

    /** Makes the sink keep packet ids in a file of its ledger's directory, or no longer when the name is null. */
    void keepPacketIds(final String fileName) {
        setInSink(PACKET_ID_FILE, fileName);
    }

    /** Makes the sink keep digests of contents in a file of its ledger's directory. */
    void keepDigests(final String fileName) {
        setInSink(DIGEST_FILE, fileName);
    }

    private void setInSink(final String property, final String value) {
        final Component sink = flow.find(ComponentKind.PROCESSOR, SINK).orElseThrow();
        flow.stop(sink);
        final Map<String, String> change = new HashMap<>();
        change.put(property, value);
        flow.setProperties(sink, change);
        flow.start(sink);
    }

    private Component createSink() {
        final Component sink = flow.createProcessor(SINK, SINK_TYPE);
        flow.setProperties(sink, Map.of(LEDGER_DIRECTORY, OWN_LEDGER));
        flow.setConcurrentTasks(sink, SINK_TASKS);
        return sink;
    }

    private void connect(final Component source, final Component destination) {
        if (flow.findConnection(source, destination).isEmpty()) {
            flow.connect(source, destination, BackPressure.generous());
        }
    }
}
