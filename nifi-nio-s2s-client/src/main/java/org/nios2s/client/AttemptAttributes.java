// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.util.Map;

/**
 * Adds attributes to packets at each attempt to send them, such as the context of a trace. Called on IO workers, once for each
 * packet and attempt: it must not block. If it throws, the transaction fails.
 */
@FunctionalInterface
public interface AttemptAttributes {
    /**
     * Gives the attributes that this attempt adds.
     *
     * @param packet about to be sent
     * @param connection the one that sends it; {@link ClientObserver.Connection#commsId} is its name in NiFi's log
     * @return names and values; an attribute that the packet itself has stays as it is
     */
    Map<String, String> of(Packet packet, ClientObserver.Connection connection);
}
