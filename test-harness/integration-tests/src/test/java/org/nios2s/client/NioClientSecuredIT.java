// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.KeystoreType;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.transaction.Engine;
import org.nios2s.client.nifi.NioSiteToSiteClient;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiNodeInfo;
import org.nios2s.harness.nifi.SinkLedger;
import org.nios2s.integration.SharedNifi;

/** The NIO client over TLS against a secured NiFi, with either listener. Runs on the thread of the tests against the shared NiFis. */
@ParameterizedClass
@EnumSource(Listener.class)
@ResourceLock(SharedNifi.Lock.NIO_SECURED)
@ResourceLock(SharedNifi.Lock.STOCK_SECURED)
class NioClientSecuredIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int SEVERAL_RECORDS_BYTES = 300_000;

    private static NifiNode nifi;
    private static Engine engine;

    @Parameter
    private Listener listener;

    @BeforeParameterizedClassInvocation
    static void start(final Listener listener) {
        engine = new Engine();
        nifi = SharedNifi.of(listener, true).withEmptyLoop();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        engine.close();
    }

    private static SiteToSiteClientConfig config(final String keyStore) {
        final NifiNodeInfo instance = nifi.info();
        return new SiteToSiteClient.Builder()
                .url(instance.api().replace("/nifi-api", "/nifi"))
                .portName("input")
                .keystoreFilename(keyStore)
                .keystorePass(instance.security().password())
                .keystoreType(KeystoreType.PKCS12)
                .truststoreFilename(instance.security().trustStore())
                .truststorePass(instance.security().password())
                .truststoreType(KeystoreType.PKCS12)
                .buildConfig();
    }

    private static Endpoint port(final String keyStore) {
        return port(keyStore, "input");
    }

    private static Endpoint port(final String keyStore, final String name) {
        return Endpoint.of(nifi.info().s2sHost(), nifi.info().s2sPort(), nifi.portId(name))
                .withTls(config(keyStore).getSslContext());
    }

    @Test
    void anAuthorizedClientPushesOverTls() throws Exception {
        final SinkLedger before = nifi.ledger();
        final TransactionResult result = engine.push(
                        port(nifi.info().security().keyStore()),
                        List.of(Packet.of(Map.of("packet.id", "secured"), new byte[10])))
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertEquals(1, result.packets());
        awaitOnePacket(before);
    }

    private static void awaitOnePacket(final SinkLedger before) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> nifi.ledger().since(before).equals(new SinkLedger(1, 10)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsPushedOverTlsIsPulledBackOverTls(final boolean compress) throws Exception {
        final String keyStore = nifi.info().security().keyStore();
        final byte[] content = new byte[SEVERAL_RECORDS_BYTES];
        new Random(1).nextBytes(content);
        engine.push(
                        port(keyStore, "loop-in").withCompress(compress),
                        List.of(Packet.of(Map.of("packet.id", "looped"), content)))
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        final Queue<byte[]> received = new ConcurrentLinkedQueue<>();
        final Endpoint out = port(keyStore, "loop-out").withCompress(compress);
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> engine.pull(out, batch -> {
                                    for (final ReceivedPacket packet : batch) {
                                        received.add(packet.bytes());
                                    }
                                })
                                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                                .packets()
                        == 1);
        assertArrayEquals(content, received.element());
    }

    @Test
    void theDropInFindsPeerAndPortOverTheSecuredRestApi() throws Exception {
        final SinkLedger before = nifi.ledger();
        try (SiteToSiteClient client =
                new NioSiteToSiteClient(config(nifi.info().security().keyStore()))) {
            assertTrue(client.isSecure());
            final Transaction transaction = client.createTransaction(TransferDirection.SEND);
            transaction.send(new byte[10], Map.of("packet.id", "secured drop-in"));
            transaction.confirm();
            assertEquals(1, transaction.complete().getDataPacketsTransferred());
            assertTrue(transaction.getCommunicant().getDistinguishedName().contains("CN="));
        }
        awaitOnePacket(before);
    }

    @Test
    void aStrangerIsNotAuthorized() {
        final ExecutionException failure = assertThrows(ExecutionException.class, () -> engine.push(
                        port(nifi.info().security().strangerKeyStore()), List.of(Packet.of(Map.of(), new byte[1])))
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        final TransactionException refused = assertInstanceOf(TransactionException.class, failure.getCause());
        assertEquals(FailureReason.UNAUTHORIZED, refused.reason());
        assertEquals(TransactionStep.HANDSHAKE, refused.step());
    }
}
