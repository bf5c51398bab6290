// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import java.io.InputStream;
import java.util.Collection;
import java.util.Collections;
import org.apache.nifi.flow.resource.ExternalResourceDescriptor;
import org.apache.nifi.flow.resource.ExternalResourceProvider;
import org.apache.nifi.flow.resource.ExternalResourceProviderInitializationContext;
import org.apache.nifi.util.NiFiProperties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entrance into an unmodified NiFi: a provider of external resources that provides none. When NiFi initializes it, it puts the
 * non-blocking listener in the place of the stock one. Lives on NiFi's main thread, a few seconds before {@code FlowController} is
 * loaded.
 *
 * <p>Any failure here ends in one log line and the stock listener: activation can fail, NiFi can't. For the sake of that line this
 * class, and no other, is compiled for Java 8, on which a NiFi 1 may run.
 */
public final class NioSiteToSiteProvider implements ExternalResourceProvider {
    private static final Logger logger = LoggerFactory.getLogger(NioSiteToSiteProvider.class);

    private final NiFiProperties properties;

    /** Called when NiFi discovers extensions. */
    public NioSiteToSiteProvider() {
        this(null);
    }

    /** Called when NiFi uses the provider. */
    public NioSiteToSiteProvider(final NiFiProperties properties) {
        this.properties = properties;
    }

    @Override
    public void initialize(final ExternalResourceProviderInitializationContext context) {
        try {
            Activation.activate(properties, context);
        } catch (final UnsupportedClassVersionError e) {
            logger.error(
                    "The NIO Site-to-Site listener is not activated: it is for NiFi 2 on Java 21 or newer, and this is Java {}."
                            + " The stock listener serves.",
                    System.getProperty("java.version"));
        } catch (final IllegalArgumentException | IllegalStateException e) {
            logger.error(
                    "The NIO Site-to-Site listener is not activated: {}. The stock listener serves.", e.getMessage());
            logger.debug("The cause", e);
        } catch (final Exception | LinkageError e) {
            logger.error(
                    "The NIO Site-to-Site listener is not activated: {}. The stock listener serves.", e.toString(), e);
        }
    }

    @Override
    public Collection<ExternalResourceDescriptor> listResources() {
        return Collections.emptyList();
    }

    @Override
    public InputStream fetchExternalResource(final ExternalResourceDescriptor descriptor) {
        throw new UnsupportedOperationException("This provider has no resources: " + descriptor);
    }
}
