/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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
        /** Highest version of TLS; where it is left out the client reads the files itself, else it is given a context. */
        TLS_VERSION
    }
}
