// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.nio.file.Path;
import java.util.Locale;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.NifiOptions;

/**
 * The NiFis that all integration tests share, one for each listener: started when first asked for, stopped at the end.
 * For the one thread on which the tests run.
 */
enum SharedNifi {
    /** With our listener. */
    NIO(Listener.NIO),
    /** With the listener that NiFi comes with. */
    STOCK(Listener.STOCK);

    static final Path HOMES = Path.of("target", "nifi-homes");

    private static final String HEAP = "1g";

    private final Listener listener;
    private NifiInstance running;

    SharedNifi(final Listener listener) {
        this.listener = listener;
    }

    /** This NiFi, which is started if it does not run yet. */
    synchronized NifiInstance get() {
        if (running == null) {
            running = NifiInstance.start(NifiOptions.builder()
                    .home(HOMES.resolve("shared-" + name().toLowerCase(Locale.ROOT)))
                    .listener(listener)
                    .heap(HEAP)
                    .fresh(true)
                    .stopOnExit(true)
                    .build());
        }
        return running;
    }

    /** Stops this NiFi, if it runs. */
    synchronized void stop() {
        if (running != null) {
            running.stop();
            running = null;
        }
    }

    static Component inputPort(final NifiInstance nifi, final String name) {
        return nifi.flow().find(ComponentKind.INPUT_PORT, name).orElseThrow();
    }

    /** The connection behind the port {@code loop-in}, whose queue can be read. */
    static Component loop(final NifiInstance nifi) {
        final FlowClient flow = nifi.flow();
        return flow.findConnection(
                        inputPort(nifi, "loop-in"),
                        flow.find(ComponentKind.OUTPUT_PORT, "loop-out").orElseThrow())
                .orElseThrow();
    }
}
