// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import java.io.IOException;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
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
 * The checks before the listener takes over: it is switched on, its settings are valid, this NiFi has every class and method that
 * the listener uses, and sockets and TLS work here. Lives on NiFi's main thread. Until the last step NiFi is as it was.
 */
final class Activation {
    private static final Logger logger = LoggerFactory.getLogger(NioSiteToSiteProvider.class);
    private static final int JAVA_THAT_WARNS = 25;

    /** Netty follows one buffer in so many, to report it if it leaks: each followed buffer costs a stack trace. */
    private static final String LEAK_SAMPLING_INTERVAL = "1024";

    private Activation() {}

    /** Takes over, or logs why there is nothing to take over; throws if the listener can't serve here. */
    static void activate(final NiFiProperties properties, final ExternalResourceProviderInitializationContext context)
            throws Exception {
        if (properties == null) {
            throw new IllegalStateException("NiFi did not hand over its properties");
        }
        final Optional<ListenerSettings> checked = check(properties, () -> context.getSSLContext());
        if (checked.isPresent()) {
            takeOver(checked.get());
        }
    }

    /**
     * Checks that the listener can serve, whichever way NiFi gets it.
     *
     * @param sslContext asked for if Site-to-Site is secure
     * @return the settings; empty if there is nothing to serve, which is then in the log
     * @throws Exception with the reason why the listener can't serve here
     */
    static Optional<ListenerSettings> check(final NiFiProperties properties, final Supplier<SSLContext> sslContext)
            throws Exception {
        if (!ListenerSettings.isEnabled(properties)) {
            logger.info(
                    "The NIO Site-to-Site listener is switched off by {}=false. The stock listener serves.",
                    ListenerSettings.ENABLED);
            ListenerSettings.InDoubt.discardFile(properties);
            return Optional.empty();
        }
        failIfForeign();
        final ListenerSettings settings = ListenerSettings.from(properties);
        if (properties.getRemoteInputPort() == null) {
            logger.info(
                    "The NIO Site-to-Site listener has nothing to serve: {} is not set.",
                    NiFiProperties.REMOTE_INPUT_PORT);
            ListenerSettings.InDoubt.discardFile(properties);
            return Optional.empty();
        }
        setUpNetty();
        NarInspector.link();
        SSLContext secured = null;
        if (Boolean.TRUE.equals(properties.isSiteToSiteSecure())) {
            secured = sslContext.get();
        }
        LoopbackCheck.perform(TransportSelection.select(settings.io().transport()), settings.tlsProvider(), secured);
        return Optional.of(settings);
    }

    private static void takeOver(final ListenerSettings settings) throws Exception {
        ListenerTakeover.verify(Activation.class.getClassLoader());
        final Optional<String> otherVersions = otherVersions();
        try {
            ListenerTakeover.install(arguments -> new NioRemoteSiteListener(
                    (Integer) arguments[0],
                    (SSLContext) arguments[1],
                    (NiFiProperties) arguments[2],
                    (NodeInformant) arguments[3],
                    settings));
        } catch (final LinkageError e) {
            // Exactly this class means that NiFi's class is loaded. For any other reason the JVM throws a subclass,
            // whose text says it.
            if (e.getClass() == LinkageError.class) {
                throw new IllegalStateException(
                        "NiFi has loaded the stock listener already, which an extension that reaches into the framework may have caused",
                        e);
            }
            throw e;
        }
        otherVersions.ifPresent(others ->
                logger.warn("The NIO Site-to-Site listener is in NiFi more than once: {}, and restart", others));
    }

    /** Looks for other versions before the take-over; a failure is a WARN, since another NAR must not keep this one from serving. */
    private static Optional<String> otherVersions() {
        try {
            return NarInspector.otherVersions(NarInspector.jar());
        } catch (final IOException | URISyntaxException | RuntimeException e) {
            logger.warn(
                    "The listener serves, but can't tell whether the NIO Site-to-Site listener is in NiFi more than once: {}. Look for a"
                            + " damaged NAR in lib/ and extensions/",
                    e.toString());
            return Optional.empty();
        }
    }

    /**
     * Sets system properties for Netty that the administrator has not set. From Java 25 on Netty does not use
     * {@code sun.misc.Unsafe} by default, and then takes longer to get fast. Java 25 only warns of its use, once, on the console; a
     * later Java may refuse it (JEP 498).
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
            String others = "";
            if (missing.size() > 1) {
                others = ", and lacks " + (missing.size() - 1) + " more";
            }
            throw new IllegalStateException(
                    "NiFi %s has no %s%s".formatted(NioRemoteSiteListener.runningNifi(), missing.getFirst(), others));
        }
    }
}
