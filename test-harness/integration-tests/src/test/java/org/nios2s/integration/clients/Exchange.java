// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * What a test has a client of any version do.
 * The one type that the test and the client's class loader share, so it names only the JDK's types; for one thread.
 */
public interface Exchange {

    /**
     * Sends packets in one transaction.
     *
     * @param settings how to reach the port
     * @param attributes of each packet
     * @param contents of each packet, in the same order
     */
    void push(Map<Setting, String> settings, List<Map<String, String>> attributes, List<byte[]> contents)
            throws IOException;

    /**
     * Receives what one transaction brings.
     *
     * @param settings how to reach the port
     * @param attributes gets those of each packet
     * @param contents gets that of each packet
     */
    void pull(Map<Setting, String> settings, List<Map<String, String>> attributes, List<byte[]> contents)
            throws IOException;

    /** What a client is told. Immutable, for any thread. */
    enum Setting {
        /** Address of NiFi's user interface. */
        URL,
        /** Name of the port. */
        PORT,
        /** Whether to compress: true or false. */
        COMPRESS,
        /** File with key and certificate; left out for plain TCP. */
        KEY_STORE,
        /** File with the authorities to trust; left out for plain TCP. */
        TRUST_STORE,
        /** Password of both. */
        PASSWORD,
        /** Highest version of TLS; where it is left out the client reads the files itself, otherwise it is given a context. */
        TLS_VERSION
    }
}
