// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import jakarta.xml.bind.JAXBContext;
import jakarta.xml.bind.JAXBContextFactory;
import jakarta.xml.bind.Marshaller;
import jakarta.xml.bind.Unmarshaller;
import java.util.Map;

/**
 * The XML binding that NiFi's {@code ClusterNodeInformation} looks up when it is loaded, in a test that writes no XML. Any
 * thread.
 */
public final class UnusedXml implements JAXBContextFactory {
    @Override
    public JAXBContext createContext(final Class<?>[] classes, final Map<String, ?> properties) {
        return new Context();
    }

    @Override
    public JAXBContext createContext(final String packages, final ClassLoader loader, final Map<String, ?> properties) {
        return new Context();
    }

    private static final class Context extends JAXBContext {
        @Override
        public Unmarshaller createUnmarshaller() {
            throw new UnsupportedOperationException("No test reads XML");
        }

        @Override
        public Marshaller createMarshaller() {
            throw new UnsupportedOperationException("No test writes XML");
        }
    }
}
