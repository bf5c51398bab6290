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
 * For any thread.
 */
public enum SharedNifi {
    /** With our listener. */
    NIO(Listener.NIO, false),
    /** With the listener that NiFi comes with. */
    STOCK(Listener.STOCK, false),
    /** With our listener, TLS and policies. */
    NIO_SECURED(Listener.NIO, true),
    /** With the listener that NiFi comes with, TLS and policies. */
    STOCK_SECURED(Listener.STOCK, true);

    /** What tests that use them hold: one class at a time. */
    public static final String LOCK = "SharedNifi";

    static final Path HOMES = Path.of("target", "nifi-homes");

    private static final String HEAP = "1g";
    private static final String SECURED_HEAP = "768m";
    /** Short enough that a conversation can wait for it. */
    private static final String HANDSHAKE_TIMEOUT = "8 secs";

    private final Listener listener;
    private final boolean secured;
    private NifiInstance running;

    SharedNifi(final Listener listener, final boolean secured) {
        this.listener = listener;
        this.secured = secured;
    }

    /** This NiFi, which is started if it does not run yet. */
    public synchronized NifiInstance get() {
        if (running == null) {
            running = NifiInstance.start(options());
        }
        return running;
    }

    private NifiOptions options() {
        final NifiOptions options = new NifiOptions()
                .home(HOMES.resolve("shared-" + name().toLowerCase(Locale.ROOT)))
                .listener(listener)
                .heap(secured ? SECURED_HEAP : HEAP)
                .secure(secured)
                .fresh(true)
                .stopOnExit(true)
                .property("nifi.remote.input.nio.handshake.timeout", HANDSHAKE_TIMEOUT);
        if (secured) {
            // Peers are told of this NiFi as a proxy before it has it, and a mapped identity is another one.
            options.property("nifi.remote.route.raw.proxied.when", "${s2s.source.secure}")
                    .property("nifi.remote.route.raw.proxied.hostname", "proxy-of-${s2s.target.hostname}")
                    .property("nifi.remote.route.raw.proxied.port", "${s2s.target.port}")
                    .property("nifi.remote.route.raw.proxied.secure", "false")
                    .property("nifi.security.identity.mapping.pattern.mapped", "^CN=mapped-(.*?), OU=s2s-harness$")
                    .property("nifi.security.identity.mapping.value.mapped", "$1")
                    .property("nifi.security.identity.mapping.transform.mapped", "LOWER");
        }
        return options;
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
