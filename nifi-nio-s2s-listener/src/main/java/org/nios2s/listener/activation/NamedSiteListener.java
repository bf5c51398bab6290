// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import java.io.IOException;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.remote.RemoteSiteListener;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.util.NiFiProperties;
import org.nios2s.listener.NioRemoteSiteListener;
import org.nios2s.listener.settings.ListenerSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener as a NiFi makes it that takes the name of its listener's class from {@code nifi.properties}. No release of NiFi does so
 * yet; docs/nifi.md has the change to NiFi. Lives on NiFi's main thread.
 *
 * <p>Serves with the non-blocking listener, or with NiFi's own where that one can't serve.
 */
public final class NamedSiteListener implements RemoteSiteListener {
    private static final Logger logger = LoggerFactory.getLogger(NioSiteToSiteProvider.class);
    private static final String STOCK = "org.apache.nifi.remote.SocketRemoteSiteListener";

    private final NiFiProperties properties;
    private RemoteSiteListener listener;

    /** Called by NiFi, for which the class has this constructor. */
    public NamedSiteListener(final NiFiProperties properties) {
        this.properties = properties;
    }

    /**
     * Called by NiFi before any other method.
     *
     * @param sslContext NiFi's own, or null where Site-to-Site is not secure
     * @param nodeInformant the cluster, or null for a standalone NiFi
     */
    public void initialize(final int port, final SSLContext sslContext, final NodeInformant nodeInformant)
            throws ReflectiveOperationException {
        final Optional<ListenerSettings> settings = settings(sslContext);
        if (settings.isPresent()) {
            listener = new NioRemoteSiteListener(port, sslContext, properties, nodeInformant, settings.get());
        } else {
            listener = stock(port, sslContext, nodeInformant);
        }
    }

    private Optional<ListenerSettings> settings(final SSLContext sslContext) {
        try {
            return Activation.check(properties, () -> sslContext);
        } catch (final Exception | LinkageError e) {
            logger.error(
                    "The NIO Site-to-Site listener is not activated: {}. The stock listener serves.", e.toString(), e);
            return Optional.empty();
        }
    }

    /** By name: a reference would have the JVM load this class in every NiFi, which makes the take-over impossible. */
    private RemoteSiteListener stock(final int port, final SSLContext sslContext, final NodeInformant nodeInformant)
            throws ReflectiveOperationException {
        return (RemoteSiteListener) Class.forName(STOCK, true, RemoteSiteListener.class.getClassLoader())
                .getConstructor(int.class, SSLContext.class, NiFiProperties.class, NodeInformant.class)
                .newInstance(port, sslContext, properties, nodeInformant);
    }

    @Override
    public void setRootGroup(final ProcessGroup group) {
        listener.setRootGroup(group);
    }

    @Override
    public void start() throws IOException {
        listener.start();
    }

    @Override
    public void stop() {
        listener.stop();
    }

    @Override
    public void destroy() {
        listener.destroy();
    }
}
