// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.site;

import java.io.IOException;
import java.util.Map;
import org.nios2s.client.Direction;

/**
 * Site-to-Site settings in the answer of a NiFi's REST API. Immutable; any thread.
 *
 * @param host that answered, where its node listens to RAW Site-to-Site too
 * @param rawPort null if it does not
 * @param secure whether packets travel over TLS
 * @param ports the ids of the public ports, by the direction of packets seen from the client and by their names
 */
public record SiteDetails(String host, Integer rawPort, boolean secure, Map<Direction, Map<String, String>> ports) {
    /** Asks a NiFi for them; blocks. */
    public interface Source {
        SiteDetails ask() throws IOException, InterruptedException;

        /** @return the URLs, for errors */
        String name();
    }
}
