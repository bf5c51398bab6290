// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.nio.file.Path;
import java.util.Locale;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiOptions;

/**
 * The NiFis that the integration tests share: each is started when it is first asked for and stopped after the last test.
 * For any thread.
 */
public enum SharedNifi {
    /** With our listener. */
    NIO(Listener.NIO, "1g"),
    /** With the listener that NiFi comes with. */
    STOCK(Listener.STOCK, "1g"),
    /** With our listener, TLS by BoringSSL, and policies. */
    NIO_SECURED(Listener.NIO, "768m", "openssl"),
    /** With our listener, TLS by the JDK, and policies. */
    NIO_SECURED_JDK(Listener.NIO, "512m", "jdk"),
    /** With the listener that NiFi comes with, TLS and policies. */
    STOCK_SECURED(Listener.STOCK, "768m", "");

    /** Where the NiFis of the tests have their homes. */
    public static final Path HOMES = Path.of("target", "nifi-homes");

    /** Short enough that a conversation can wait for it. */
    private static final String HANDSHAKE_TIMEOUT = "8 secs";

    private final Listener listener;
    private final String heap;
    private final String tlsProvider;
    private NifiNode running;

    SharedNifi(final Listener listener, final String heap) {
        this(listener, heap, null);
    }

    SharedNifi(final Listener listener, final String heap, final String tlsProvider) {
        this.listener = listener;
        this.heap = heap;
        this.tlsProvider = tlsProvider;
    }

    /**
     * What a class of tests holds for each NiFi that it uses, as a {@code ResourceLock}: one class at a time has a NiFi.
     * Constants only.
     */
    public static final class Lock {
        public static final String NIO = "SharedNifi.NIO";
        public static final String STOCK = "SharedNifi.STOCK";
        public static final String NIO_SECURED = "SharedNifi.NIO_SECURED";
        public static final String NIO_SECURED_JDK = "SharedNifi.NIO_SECURED_JDK";
        public static final String STOCK_SECURED = "SharedNifi.STOCK_SECURED";

        private Lock() {}
    }

    /** The NiFi with a listener, over TLS or not. */
    public static SharedNifi of(final Listener listener, final boolean secured) {
        if (listener == Listener.NIO) {
            return secured ? NIO_SECURED : NIO;
        }
        return secured ? STOCK_SECURED : STOCK;
    }

    /** Whether BoringSSL does its TLS: not where Java's options say to load no native library, or to renew keys often. */
    public boolean hasBoringSsl() {
        final String options = String.valueOf(System.getenv("JDK_JAVA_OPTIONS"));
        return this == NIO_SECURED
                && !options.contains("--illegal-native-access=deny")
                && !options.contains("-Djava.security.properties=");
    }

    /** This NiFi, which is started if it does not run yet. */
    public synchronized NifiNode get() {
        if (running == null) {
            running = NifiNode.start(options());
        }
        return running;
    }

    /** The same, with nothing in the queue of {@link #loop}. */
    public NifiNode withEmptyLoop() {
        final NifiNode nifi = get();
        nifi.flow().empty(loop(nifi));
        return nifi;
    }

    /** How this NiFi is started. */
    public NifiOptions options() {
        final NifiOptions options = new NifiOptions()
                .home(HOMES.resolve("shared-" + name().toLowerCase(Locale.ROOT)))
                .listener(listener)
                .heap(heap)
                .secure(tlsProvider != null)
                .fresh(true)
                .stopOnExit(true)
                .property("nifi.remote.input.nio.handshake.timeout", HANDSHAKE_TIMEOUT)
                .property("nifi.remote.input.nio.proxy.protocol.from", HaProxy.ADDRESS);
        if (tlsProvider != null) {
            if (!tlsProvider.isEmpty()) {
                options.property("nifi.remote.input.nio.tls.provider", tlsProvider);
            }
            options.property("nifi.security.autoreload.enabled", "true")
                    .property("nifi.security.autoreload.interval", "1 secs")
                    // Peers are told of this NiFi by another name than its own, by which it can be reached, too.
                    .property("nifi.remote.route.raw.proxied.when", "${s2s.source.secure}")
                    .property("nifi.remote.route.raw.proxied.hostname", ConversationRun.ROUTED_HOST)
                    .property("nifi.remote.route.raw.proxied.port", "${s2s.target.port}")
                    .property("nifi.remote.route.raw.proxied.secure", "false")
                    // A mapped identity is another one.
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

    static Component inputPort(final NifiNode nifi, final String name) {
        return nifi.flow().find(ComponentKind.INPUT_PORT, name).orElseThrow();
    }

    /** The connection behind the port {@code loop-in}, whose queue can be read. */
    public static Component loop(final NifiNode nifi) {
        final FlowClient flow = nifi.flow();
        return flow.findConnection(
                        inputPort(nifi, "loop-in"),
                        flow.find(ComponentKind.OUTPUT_PORT, "loop-out").orElseThrow())
                .orElseThrow();
    }
}
