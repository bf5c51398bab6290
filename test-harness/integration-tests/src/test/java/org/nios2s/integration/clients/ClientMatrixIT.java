// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.harness.nifi.NifiNodeInfo;
import org.nios2s.integration.SharedNifi;

/**
 * Every version of NiFi's client that must get on with our listener pushes to and pulls from it.
 * The tests run one after the other on one thread.
 */
@ResourceLock(SharedNifi.Lock.NIO)
@ResourceLock(SharedNifi.Lock.NIO_SECURED)
@ResourceLock(SharedNifi.Lock.NIO_SECURED_JDK)
class ClientMatrixIT {

    private static final List<SharedNifi> SERVING =
            List.of(SharedNifi.NIO, SharedNifi.NIO_SECURED, SharedNifi.NIO_SECURED_JDK);
    private static final List<String> VERSIONS = List.of("1.9.2", "1.16.3", "1.18.0", "1.28.1", "2.3.0", "2.6.0");

    /**
     * The highest version of TLS of clients that are given a context instead of files: they read PKCS12 with the
     * BouncyCastle of their time, which cannot unwrap the keys of a store that Java writes now. To the one from before
     * Java had TLS 1.3, the session ticket of that version is data that it fails to decrypt.
     */
    private static final Map<String, String> TLS_OF_OLD_CLIENTS =
            Map.of("1.9.2", "TLSv1.2", "1.16.3", "TLSv1.3", "1.18.0", "TLSv1.3");

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Map<String, ClientVersion> LOADED = new HashMap<>();

    @AfterAll
    static void closeClients() throws IOException {
        for (final ClientVersion client : LOADED.values()) {
            client.close();
        }
        LOADED.clear();
    }

    private static ClientVersion client(final String version) throws IOException, ReflectiveOperationException {
        if (!LOADED.containsKey(version)) {
            LOADED.put(version, ClientVersion.load(version));
        }
        return LOADED.get(version);
    }

    static Stream<Arguments> everyCombination() {
        return VERSIONS.stream().flatMap(version -> SERVING.stream()
                .flatMap(nifi -> Stream.of(false, true).map(compress -> Arguments.of(version, nifi, compress))));
    }

    @ParameterizedTest(name = "{0}, {1}, compressed: {2}")
    @MethodSource("everyCombination")
    void whatIsPushedIsPulledUnchanged(final String version, final SharedNifi serving, final boolean compress)
            throws Exception {
        final NifiNodeInfo nifi = serving.withEmptyLoop().info();
        final Packets sent = Packets.various(version + "-" + serving + "-" + compress + "-");
        final Packets arrived = Packets.none();

        final ClientVersion client = client(version);
        client.push(settings(version, nifi, "loop-in", compress), sent.attributes(), sent.contents());
        Awaitility.await().atMost(PATIENCE).until(() -> {
            client.pull(settings(version, nifi, "loop-out", compress), arrived.attributes(), arrived.contents());
            return arrived.size() >= sent.size();
        });

        sent.assertArrivedAs(arrived);
    }

    private static Map<Exchange.Setting, String> settings(
            final String version, final NifiNodeInfo nifi, final String port, final boolean compress) {
        final Map<Exchange.Setting, String> settings = PortAccess.settings(nifi, port, compress);
        if (settings.containsKey(Exchange.Setting.KEY_STORE) && TLS_OF_OLD_CLIENTS.containsKey(version)) {
            settings.put(Exchange.Setting.TLS_VERSION, TLS_OF_OLD_CLIENTS.get(version));
        }
        return settings;
    }
}
