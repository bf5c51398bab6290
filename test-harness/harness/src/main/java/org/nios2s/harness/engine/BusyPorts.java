// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiInstance;

/**
 * A NiFi with many input ports, over which the clients are spread, and a processor beside them that counts how often it
 * gets a thread. Used on the command's thread.
 */
public final class BusyPorts implements MeasuredNifi {

    private static final String COUNTER_TYPE = "org.nios2s.harness.sink.TriggerCounter";
    private static final String COUNTER = "trigger-counter";
    private static final String TRIGGERS = "triggers";
    private static final String SINK = "sink";

    private final EmbeddedNifi nifi;
    private final Target target;

    /** Makes so many ports, each with so many tasks, and the processor that counts; {@link #close} stops the NiFi. */
    public BusyPorts(final EmbeddedNifi nifi, final int ports, final int tasks) {
        this.nifi = nifi;
        final FlowClient flow = nifi.instance().flow();
        final Component sink = flow.find(ComponentKind.PROCESSOR, SINK).orElseThrow();
        final TargetAddress own = nifi.target().address();
        final List<TargetAddress> further = new ArrayList<>();
        for (int number = 2; number <= ports; number++) {
            final Component port = flow.ensurePort(ComponentKind.INPUT_PORT, "busy-" + number, tasks);
            flow.connect(port, sink, BackPressure.generous());
            flow.start(port);
            further.add(new TargetAddress(own.host(), own.port(), port.id(), own.api()));
        }
        flow.start(flow.createProcessor(COUNTER, COUNTER_TYPE));
        this.target = nifi.target().and(further);
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public NifiInstance instance() {
        return nifi.instance();
    }

    /** How often the processor beside the ports was triggered so far. */
    public static long triggers(final NifiInstance nifi) {
        for (final JsonNode counter : nifi.rest().get("/counters").requiredAt("/counters/aggregateSnapshot/counters")) {
            if (TRIGGERS.equals(counter.required("name").asText())
                    && counter.required("context").asText().startsWith(COUNTER)) {
                return counter.required("valueCount").asLong();
            }
        }
        return 0;
    }

    @Override
    public void close() {
        nifi.close();
    }
}
