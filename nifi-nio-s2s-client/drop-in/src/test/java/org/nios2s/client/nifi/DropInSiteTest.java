// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.nifi;

import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.client.ScriptedServer;
import org.nios2s.client.ScriptedSite;

/** What clients in place of NiFi's hold, and what they keep of a site. Lives on the test's thread. */
class DropInSiteTest {
    private static final int MANY = 20;

    private ScriptedServer server;
    private ScriptedSite site;

    @BeforeEach
    void start() throws Exception {
        server = new ScriptedServer();
        server.peers.put("127.0.0.1", new int[] {server.port(), 5});
        site = new ScriptedSite(server.port());
    }

    @AfterEach
    void stop() throws Exception {
        site.close();
        server.close();
    }

    @Test
    void clientsInPlaceOfNifisHoldNoThread() throws Exception {
        final List<SiteToSiteClient> open = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            final SiteToSiteClient client =
                    new NioSiteToSiteClient(site.client("in").buildConfig());
            open.add(client);
            client.createTransaction(TransferDirection.SEND).cancel("enough");
        }
        await().until(() -> threads("s2s-client-") <= 3);
        for (final SiteToSiteClient client : open) {
            client.close();
        }
    }

    private static long threads(final String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(name))
                .count();
    }

    @Test
    void thePeersAreKeptInAFile(@TempDir final Path folder) throws Exception {
        final Path file = folder.resolve("peers");
        final SiteToSiteClientConfig config =
                site.client("in").peerPersistenceFile(file.toFile()).buildConfig();
        try (SiteToSiteClient client = new NioSiteToSiteClient(config)) {
            client.createTransaction(TransferDirection.SEND).cancel("only its peers are asked for");
            await().until(() -> Files.exists(file) && Files.readString(file).contains("" + server.port()));
        }
    }
}
