// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A scripted server, and a client of it that tries again at once; for one test, on whose thread it lives. */
final class ScriptedNifi implements AfterEachCallback {
    private final ScriptedServer server;
    private final SiteToSite client;

    ScriptedNifi() {
        try {
            server = new ScriptedServer();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        client = NioSiteToSite.builder()
                .address("127.0.0.1", server.port())
                .retry(RetryPolicy.standard().withBackoff(Duration.ofMillis(1), Duration.ofMillis(5)))
                .reconnectBackoff(Duration.ofMillis(1), Duration.ofMillis(2))
                .build();
    }

    ScriptedServer server() {
        return server;
    }

    SiteToSite client() {
        return client;
    }

    @Override
    public void afterEach(final ExtensionContext context) throws IOException {
        client.close();
        server.close();
    }
}
