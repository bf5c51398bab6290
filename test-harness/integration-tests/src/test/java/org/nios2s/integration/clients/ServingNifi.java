// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import java.nio.file.Path;
import java.util.Locale;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.NifiOptions;

/**
 * The NiFis with our listener that the tests here share; each starts when it is first asked for and ends with this JVM.
 * Thread-safe.
 */
enum ServingNifi {
    /** Plain TCP. */
    PLAIN(null),
    /** TLS by BoringSSL. */
    OPENSSL("openssl"),
    /** TLS by the JDK. */
    JDK("jdk");

    /** What tests that use them hold: one class at a time. */
    static final String LOCK = "ServingNifi";

    static final Path HOMES = Path.of("target", "nifi-homes");

    private static final String HEAP = "512m";

    private final String tlsProvider;
    private NifiInstance running;

    ServingNifi(final String tlsProvider) {
        this.tlsProvider = tlsProvider;
    }

    /** This NiFi, which is started if it does not run yet. */
    synchronized NifiInstance get() {
        if (running == null) {
            running = NifiInstance.start(options());
        }
        return running;
    }

    private NifiOptions options() {
        final NifiOptions options = new NifiOptions()
                .home(HOMES.resolve("clients-" + name().toLowerCase(Locale.ROOT)))
                .listener(Listener.NIO)
                .heap(HEAP)
                .fresh(true)
                .stopOnExit(true);
        return tlsProvider == null
                ? options
                : options.secure(true)
                        .property("nifi.security.autoreload.enabled", "true")
                        .property("nifi.security.autoreload.interval", "1 secs")
                        .property("nifi.remote.input.nio.tls.provider", tlsProvider);
    }
}
