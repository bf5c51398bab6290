// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import java.io.InputStream;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.apache.nifi.flow.resource.ExternalResourceDescriptor;
import org.apache.nifi.flow.resource.ExternalResourceProvider;
import org.apache.nifi.flow.resource.ExternalResourceProviderInitializationContext;
import org.apache.nifi.remote.RemoteSiteListener;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.util.NiFiProperties;
import org.nios2s.listener.NioRemoteSiteListener;
import org.nios2s.listener.TransportSelection;
import org.nios2s.listener.settings.ListenerSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way into an unmodified NiFi: a provider of external resources that provides none, and when NiFi initializes it
 * puts the non-blocking listener in the place of the stock one. Lives on NiFi's main thread, a few seconds before
 * {@code FlowController} is loaded.
 *
 * <p>Whatever goes wrong here ends in one log line and the stock listener: activation can fail, NiFi can't.
 */
public final class NioSiteToSiteProvider implements ExternalResourceProvider {
    private static final Logger logger = LoggerFactory.getLogger(NioSiteToSiteProvider.class);

    private final NiFiProperties properties;

    /** For the discovery of extensions alone. */
    public NioSiteToSiteProvider() {
        this(null);
    }

    /** What NiFi calls. */
    public NioSiteToSiteProvider(final NiFiProperties properties) {
        this.properties = properties;
    }

    @Override
    public void initialize(final ExternalResourceProviderInitializationContext context) {
        try {
            activate();
        } catch (final Exception | LinkageError e) {
            logger.error(
                    "The NIO Site-to-Site listener is not activated: {}. The stock listener serves.", reason(e), e);
        }
    }

    private void activate() throws Exception {
        if (properties == null) {
            throw new IllegalStateException("NiFi did not hand over its properties");
        }
        final ListenerSettings settings;
        try {
            if (!ListenerSettings.isEnabled(properties)) {
                logger.info(
                        "The NIO Site-to-Site listener is switched off by {}=false. The stock listener serves.",
                        ListenerSettings.ENABLED);
                return;
            }
            settings = ListenerSettings.from(properties);
        } catch (final IllegalArgumentException e) {
            logger.error(
                    "The NIO Site-to-Site listener is not activated: {}. The stock listener serves.", e.getMessage());
            return;
        }
        if (properties.getRemoteInputPort() == null) {
            logger.info(
                    "The NIO Site-to-Site listener has nothing to serve: {} is not set.",
                    NiFiProperties.REMOTE_INPUT_PORT);
            return;
        }
        // Loads what the listener needs, so that a missing class shows here, where the stock listener can still serve.
        TransportSelection.select(settings.transport());
        ListenerTakeover.install(arguments -> createListener(arguments, settings));
        logger.debug("The NIO Site-to-Site listener is activated");
    }

    private static RemoteSiteListener createListener(final Object[] arguments, final ListenerSettings settings) {
        return new NioRemoteSiteListener(
                (Integer) arguments[0],
                (SSLContext) arguments[1],
                (NiFiProperties) arguments[2],
                (NodeInformant) arguments[3],
                settings);
    }

    private static String reason(final Throwable e) {
        if (e instanceof LinkageError && String.valueOf(e.getMessage()).contains("duplicate class")) {
            return "it comes too late, NiFi has loaded the stock listener already";
        }
        return e.toString();
    }

    @Override
    public Collection<ExternalResourceDescriptor> listResources() {
        return List.of();
    }

    @Override
    public InputStream fetchExternalResource(final ExternalResourceDescriptor descriptor) {
        throw new UnsupportedOperationException("There is no resource to fetch: " + descriptor);
    }
}
