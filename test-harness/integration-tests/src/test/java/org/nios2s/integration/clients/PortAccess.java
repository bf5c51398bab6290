// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import java.util.EnumMap;
import java.util.Map;
import org.nios2s.harness.nifi.NifiNodeInfo;

/**
 * Tells a client how to reach a port of a NiFi; on a secured one as the authorized client.
 * For any thread.
 */
final class PortAccess {

    private PortAccess() {}

    static Map<Exchange.Setting, String> settings(final NifiNodeInfo nifi, final String port, final boolean compress) {
        final Map<Exchange.Setting, String> settings = new EnumMap<>(Exchange.Setting.class);
        settings.put(Exchange.Setting.URL, userInterface(nifi));
        settings.put(Exchange.Setting.PORT, port);
        settings.put(Exchange.Setting.COMPRESS, String.valueOf(compress));
        if (nifi.security() != null) {
            settings.put(Exchange.Setting.KEY_STORE, nifi.security().keyStore());
            settings.put(Exchange.Setting.TRUST_STORE, nifi.security().trustStore());
            settings.put(Exchange.Setting.PASSWORD, nifi.security().password());
        }
        return settings;
    }

    /** The address that clients and Remote Process Groups are given. */
    static String userInterface(final NifiNodeInfo nifi) {
        return nifi.api().replace("/nifi-api", "/nifi");
    }
}
