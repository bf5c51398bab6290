// SPDX-License-Identifier: Apache-2.0
package org.apache.nifi.remote;

import java.io.IOException;
import java.util.Objects;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.util.NiFiProperties;

/**
 * Stands in for NiFi's class of the same name: what {@code FlowController} constructs, and no more than a shell around
 * the listener that a factory makes. Lives on NiFi's main thread, as the original.
 *
 * <p>Its bytes are defined into the framework's class loader before the original is loaded. In our jar they lie where
 * no class loader finds them by name. It has no nested class and no lambda: it is one class file, and whole as such.
 */
public class SocketRemoteSiteListener implements RemoteSiteListener {
    /**
     * Makes the listener that serves, from port ({@link Integer}), {@link SSLContext} or null, {@link NiFiProperties},
     * and {@link NodeInformant} or null, in this order.
     */
    private static volatile Function<Object[], RemoteSiteListener> factory;

    private final RemoteSiteListener delegate;

    public SocketRemoteSiteListener(
            final int socketPort, final SSLContext sslContext, final NiFiProperties nifiProperties) {
        this(socketPort, sslContext, nifiProperties, null);
    }

    public SocketRemoteSiteListener(
            final int socketPort,
            final SSLContext sslContext,
            final NiFiProperties nifiProperties,
            final NodeInformant nodeInformant) {
        delegate = Objects.requireNonNull(factory, "No factory was set for the Site-to-Site listener")
                .apply(new Object[] {socketPort, sslContext, nifiProperties, nodeInformant});
    }

    /** Sets what makes the listener. To be called before the first instance is constructed. */
    public static void setFactory(final Function<Object[], RemoteSiteListener> newFactory) {
        factory = newFactory;
    }

    @Override
    public void setRootGroup(final ProcessGroup rootGroup) {
        delegate.setRootGroup(rootGroup);
    }

    @Override
    public void start() throws IOException {
        delegate.start();
    }

    @Override
    public void stop() {
        delegate.stop();
    }

    @Override
    public void destroy() {
        delegate.destroy();
    }
}
