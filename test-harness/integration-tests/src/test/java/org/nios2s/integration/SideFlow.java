// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.QueueClient;
import org.nios2s.harness.nifi.security.AccessPolicies;
import org.nios2s.harness.nifi.security.AccessPolicies.Action;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.peers.TestPeer;

/**
 * Ports beside the harness's flow, each in a state that a peer is to meet; what enters by them waits in a queue.
 * Made and used on the thread of the tests.
 */
final class SideFlow {

    /** Takes two FlowFiles, then its destination is full. */
    static final String NARROW = "narrow";
    /** Its destination is full. */
    static final String FULL = "full";
    /** Not started. */
    static final String STOPPED = "stopped";
    /** Disabled. */
    static final String DISABLED = "disabled";
    /** Leads nowhere, so that it is not valid. */
    static final String UNCONNECTED = "unconnected";
    /** An output port that is not started. */
    static final String ASIDE = "aside";

    private static final List<String> INPUT_PORTS = List.of(NARROW, FULL, STOPPED, DISABLED, UNCONNECTED);
    private static final BackPressure ONE_FLOW_FILE = new BackPressure(1, 0);
    private static final BackPressure TWO_FLOW_FILES = new BackPressure(2, 0);

    private final NifiNode nifi;
    private final FlowClient flow;

    private SideFlow(final NifiNode nifi) {
        this.nifi = nifi;
        this.flow = nifi.flow();
    }

    /** The ports of a NiFi, which are made if they are not there. */
    static SideFlow of(final NifiNode nifi) throws IOException {
        final SideFlow side = new SideFlow(nifi);
        side.flow.ensurePort(ComponentKind.OUTPUT_PORT, ASIDE, 1);
        side.flow.ensurePort(ComponentKind.INPUT_PORT, UNCONNECTED, 1);
        side.ensure(STOPPED, BackPressure.generous());
        side.flow.disable(side.ensure(DISABLED, BackPressure.generous()));
        side.flow.start(side.ensure(NARROW, TWO_FLOW_FILES));
        final Component full = side.ensure(FULL, ONE_FLOW_FILE);
        side.flow.start(full);
        side.grantPorts();
        if (new QueueClient(nifi.rest()).size(side.queue(FULL)).flowFiles() == 0) {
            try (TestPeer peer = Peers.atPort(nifi, full.id())) {
                peer.push(Map.of(), new byte[] {1});
            }
        }
        return side;
    }

    Component inputPort(final String name) {
        return SharedNifi.inputPort(nifi, name);
    }

    /** The ids of all ports, by name. */
    Map<String, String> ids() {
        final Map<String, String> ids = new HashMap<>();
        ids.put(ASIDE, flow.find(ComponentKind.OUTPUT_PORT, ASIDE).orElseThrow().id());
        for (final String name : INPUT_PORTS) {
            ids.put(name, inputPort(name).id());
        }
        return ids;
    }

    private void grantPorts() {
        if (nifi.info().security() == null) {
            return;
        }
        for (final String name : INPUT_PORTS) {
            grant(inputPort(name));
        }
        grant(flow.find(ComponentKind.OUTPUT_PORT, ASIDE).orElseThrow());
    }

    private void grant(final Component port) {
        nifi.policies().grant(Identity.CLIENT.distinguishedName(), Action.WRITE, AccessPolicies.transferTo(port));
    }

    /** The queue behind one of the input ports that lead anywhere. */
    Component queue(final String inputPort) {
        return flow.findConnection(
                        inputPort(inputPort),
                        flow.find(ComponentKind.OUTPUT_PORT, ASIDE).orElseThrow())
                .orElseThrow();
    }

    private Component ensure(final String name, final BackPressure backPressure) {
        final Component port = flow.ensurePort(ComponentKind.INPUT_PORT, name, 1);
        final Component aside = flow.find(ComponentKind.OUTPUT_PORT, ASIDE).orElseThrow();
        if (flow.findConnection(port, aside).isEmpty()) {
            flow.connect(port, aside, backPressure);
        }
        return port;
    }
}
