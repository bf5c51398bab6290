// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.nios2s.harness.HarnessException;

/**
 * The flow of every NiFi of the harness: {@code input} into the sink, and {@code loop-in} into {@code loop-out}, from
 * which it can be pulled back. For one thread.
 */
record HarnessFlow(FlowClient flow) {

    static final String INPUT = "input";
    static final String LOOP_IN = "loop-in";
    static final String LOOP_OUT = "loop-out";
    static final String SINK = "sink";

    /** Properties of the sink: each names a file that it keeps. */
    static final String PACKET_ID_FILE = "Packet Id File";

    static final String PARCEL_FILE = "Parcel File";

    /** Seen from NiFi's working directory, its home: every node of a cluster has the same flow but its own ledger. */
    private static final String OWN_LEDGER = "./ledger";

    private static final int SINK_TASKS = 2;
    private static final int TIMER_DRIVEN_THREADS = 20;

    /** Makes what is missing, and starts all of it: the ports by name. */
    Map<String, Component> ensure(final int portTasks) {
        flow.setTimerDrivenThreads(TIMER_DRIVEN_THREADS);
        final Map<String, Component> ports = new LinkedHashMap<>();
        ports.put(INPUT, flow.ensurePort(ComponentKind.INPUT_PORT, INPUT, portTasks));
        ports.put(LOOP_IN, flow.ensurePort(ComponentKind.INPUT_PORT, LOOP_IN, portTasks));
        ports.put(LOOP_OUT, flow.ensurePort(ComponentKind.OUTPUT_PORT, LOOP_OUT, portTasks));
        final Component sink = flow.find(ComponentKind.PROCESSOR, SINK).orElseGet(this::createSink);
        connect(ports.get(INPUT), sink);
        connect(ports.get(LOOP_IN), ports.get(LOOP_OUT));
        flow.start(sink);
        List.of(LOOP_OUT, INPUT, LOOP_IN).forEach(name -> flow.start(ports.get(name)));
        return ports;
    }

    /** Makes the sink keep something in a file of its ledger's directory, or no longer when the name is null. */
    void keep(final String property, final String fileName) {
        final Component sink = flow.find(ComponentKind.PROCESSOR, SINK)
                .orElseThrow(() -> new HarnessException(
                        "The processor '%s' was deleted from this NiFi's flow. 'nifi stop' and 'nifi start' make it again"
                                .formatted(SINK)));
        flow.stop(sink);
        flow.setProperties(sink, Collections.singletonMap(property, fileName));
        flow.start(sink);
    }

    private Component createSink() {
        final Component sink = flow.createProcessor(SINK, "org.nios2s.harness.sink.LedgerSink");
        flow.setProperties(sink, Map.of("Ledger Directory", OWN_LEDGER));
        flow.setConcurrentTasks(sink, SINK_TASKS);
        return sink;
    }

    private void connect(final Component source, final Component destination) {
        if (flow.findConnection(source, destination).isEmpty()) {
            flow.connect(source, destination, BackPressure.generous());
        }
    }
}
