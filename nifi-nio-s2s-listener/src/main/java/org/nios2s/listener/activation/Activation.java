// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import java.io.IOException;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.apache.nifi.flow.resource.ExternalResourceProviderInitializationContext;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.util.NiFiProperties;
import org.nios2s.listener.NioRemoteSiteListener;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.settings.TransportSelection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether the listener takes over: it is switched on, its settings are good, this NiFi has all that it links to,
 * and sockets and TLS work here. Lives on NiFi's main thread. Until the last step NiFi is as it was.
 */
final class Activation {
    private static final Logger logger = LoggerFactory.getLogger(NioSiteToSiteProvider.class);
    private static final int JAVA_THAT_WARNS = 25;

    /** Of so many buffers Netty follows one, to report it if it leaks: each such costs the stack trace of who took it. */
    private static final String LEAK_SAMPLING_INTERVAL = "1024";

    private Activation() {}

    /** Takes over, or says in one line why there is nothing to take over; throws what keeps the listener from serving here. */
    static void activate(final NiFiProperties properties, final ExternalResourceProviderInitializationContext context)
            throws Exception {
        if (properties == null) {
            throw new IllegalStateException("NiFi did not hand over its properties");
        }
        if (!ListenerSettings.isEnabled(properties)) {
            logger.info(
                    "The NIO Site-to-Site listener is switched off by {}=false. The stock listener serves.",
                    ListenerSettings.ENABLED);
            return;
        }
        failIfForeign();
        final ListenerSettings settings = ListenerSettings.from(properties);
        if (properties.getRemoteInputPort() == null) {
            logger.info(
                    "The NIO Site-to-Site listener has nothing to serve: {} is not set.",
                    NiFiProperties.REMOTE_INPUT_PORT);
            return;
        }
        setUpNetty();
        NarInspector.link();
        LoopbackCheck.perform(
                TransportSelection.select(settings.transport()),
                settings.tlsProvider(),
                Boolean.TRUE.equals(properties.isSiteToSiteSecure()) ? context.getSSLContext() : null);
        final Optional<String> otherVersions = otherVersions();
        try {
            ListenerTakeover.install(arguments -> new NioRemoteSiteListener(
                    (Integer) arguments[0],
                    (SSLContext) arguments[1],
                    (NiFiProperties) arguments[2],
                    (NodeInformant) arguments[3],
                    settings));
        } catch (final LinkageError e) {
            // That class itself: for any other reason the JVM throws one of its subclasses, which says so.
            if (e.getClass() == LinkageError.class) {
                throw new IllegalStateException("it comes too late, NiFi has loaded the stock listener already", e);
            }
            throw e;
        }
        otherVersions.ifPresent(others ->
                logger.warn("The NIO Site-to-Site listener is in NiFi more than once: {}, and restart", others));
    }

    /** Before the take-over, and never in its way: other NARs are none of our business. */
    private static Optional<String> otherVersions() {
        try {
            return NarInspector.otherVersions(NarInspector.jar());
        } catch (final IOException | URISyntaxException | RuntimeException e) {
            logger.warn(
                    "Whether the NIO Site-to-Site listener is in NiFi more than once can't be found out: {}",
                    e.toString());
            return Optional.empty();
        }
    }

    /**
     * System properties for Netty, where the administrator has set none. Netty leaves {@code sun.misc.Unsafe} alone from Java 25
     * on, and does not get as fast as soon. Java 25 only warns of it, on the console, once; a later one may refuse (JEP 498).
     */
    private static void setUpNetty() {
        System.getProperties().putIfAbsent("io.netty.leakDetection.samplingInterval", LEAK_SAMPLING_INTERVAL);
        if (Runtime.version().feature() == JAVA_THAT_WARNS
                && System.getProperty("sun.misc.unsafe.memory.access") == null) {
            System.getProperties().putIfAbsent("io.netty.noUnsafe", "false");
        }
    }

    private static void failIfForeign() throws Exception {
        final ClassLoader nifi = Activation.class.getClassLoader();
        final List<String> missing = NifiApiCheck.missing(nifi);
        if (!missing.isEmpty()) {
            throw new IllegalStateException("NiFi %s has no %s%s"
                    .formatted(
                            NioRemoteSiteListener.runningNifi(),
                            missing.getFirst(),
                            missing.size() == 1 ? "" : ", and lacks " + (missing.size() - 1) + " more"));
        }
        ListenerTakeover.verify(nifi);
    }
}
