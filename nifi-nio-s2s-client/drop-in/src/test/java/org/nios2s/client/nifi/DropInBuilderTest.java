// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.nifi;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.nios2s.client.ScriptedServer.portOnly;
import static org.nios2s.client.nifi.DropInOracle.assertSame;
import static org.nios2s.client.nifi.DropInOracle.offer;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.nifi.components.state.StateManager;
import org.apache.nifi.components.state.StateMap;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.KeystoreType;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.protocol.HandshakeProperty;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.remote.protocol.http.HttpProxy;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.ScriptedServer;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.TestCertificates;
import org.nios2s.client.nifi.DropInOracle.Line;
import org.nios2s.client.nifi.DropInOracle.Maker;
import org.nios2s.client.nifi.DropInOracle.Stage;

/** What the builder of NiFi's client promises, line by line, with NiFi's own client as the oracle. */
class DropInBuilderTest {
    private static final int LARGE_BYTES = 200_000;
    private static final long SHORT_MILLIS = 500;

    private static int unused() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** State as a component of NiFi has it, of which only reading and writing matter here. */
    private static StateManager states(final Map<String, String> written) {
        final Map<String, String> values = new LinkedHashMap<>();
        return (StateManager) Proxy.newProxyInstance(
                DropInBuilderTest.class.getClassLoader(),
                new Class<?>[] {StateManager.class},
                (proxy, method, args) -> {
                    if (method.getName().equals("setState")) {
                        @SuppressWarnings("unchecked")
                        final Map<String, String> given = (Map<String, String>) args[0];
                        written.putAll(given);
                        return null;
                    }
                    return method.getName().equals("getState") ? StateMaps.of(values) : null;
                });
    }

    /** What a state manager returns. */
    private static final class StateMaps {
        static Object of(final Map<String, String> values) {
            return Proxy.newProxyInstance(
                    DropInBuilderTest.class.getClassLoader(),
                    new Class<?>[] {StateMap.class},
                    (proxy, method, args) -> switch (method.getName()) {
                        case "toMap" -> values;
                        case "get" -> values.get(args[0]);
                        default -> Optional.empty();
                    });
        }
    }

    static final List<Line> BUILDERS = List.of(
            new Line("urls: the next one serves when one is down", "complete: 1 packets", stage -> {
                final Set<String> urls =
                        new LinkedHashSet<>(List.of("http://127.0.0.1:" + unused() + "/nifi", stage.site.url()));
                stage.pushOne(stage.client(builder -> builder.urls(urls)));
            }),
            new Line("url: one that nobody serves", "throws IOException", stage -> {
                final String nobody = "http://127.0.0.1:" + unused() + "/nifi";
                stage.begin(stage.client(builder -> builder.url(nobody)), TransferDirection.SEND);
            }),
            new Line("portName: that of an input port to send, of an output port to receive", "port-id", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.handshake(HandshakeProperty.PORT_IDENTIFIER);
                offer(stage, 3);
                stage.begin(stage.client(builder -> builder.portName("in")), TransferDirection.RECEIVE);
                stage.handshake(HandshakeProperty.PORT_IDENTIFIER);
            }),
            new Line(
                    "portName: one that NiFi does not have",
                    "throws IOException",
                    stage -> stage.begin(
                            stage.client(builder -> builder.portName("no such port")), TransferDirection.SEND)),
            new Line("portIdentifier: taken as it is, before the name", "an-id", stage -> {
                stage.begin(
                        stage.client(builder -> builder.portName("no such port").portIdentifier("an-id")),
                        TransferDirection.SEND);
                stage.handshake(HandshakeProperty.PORT_IDENTIFIER);
            }),
            new Line(
                    "neither name nor identifier",
                    "throws IllegalStateException Must specify either",
                    stage -> stage.step("build", () -> stage.client(builder -> builder.portName(null)))),
            new Line(
                    "requestBatchCount, Size and Duration, and the time-out, are said in the handshake",
                    "BATCH_",
                    stage -> {
                        stage.begin(
                                stage.client(builder -> builder.portName("out")
                                        .timeout(1234, TimeUnit.MILLISECONDS)
                                        .requestBatchCount(5)
                                        .requestBatchSize(6)
                                        .requestBatchDuration(7, TimeUnit.SECONDS)),
                                TransferDirection.RECEIVE);
                        stage.handshake();
                    }),
            new Line("what the handshake says when nothing was asked for", "GZIP=false", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.handshake();
            }),
            new Line("useCompression: to send", "GZIP=true", stage -> {
                stage.pushOne(stage.client(builder -> builder.useCompression(true)));
                stage.handshake(HandshakeProperty.GZIP);
                stage.leave();
            }),
            new Line("useCompression: to receive", "GZIP=true", stage -> {
                offer(stage, 3, LARGE_BYTES);
                stage.begin(
                        stage.client(builder -> builder.useCompression(true).portName("out")),
                        TransferDirection.RECEIVE);
                stage.receive();
                stage.receive();
                stage.receive();
                stage.confirm();
                stage.complete();
                stage.handshake(HandshakeProperty.GZIP);
                stage.leave();
            }),
            new Line(
                    "timeout: a peer that does not confirm", "confirm: throws IOException Failed to confirm", stage -> {
                        stage.server.at(Moment.CONFIRM, stage.server.stall());
                        stage.begin(
                                stage.client(builder -> builder.timeout(SHORT_MILLIS, TimeUnit.MILLISECONDS)),
                                TransferDirection.SEND);
                        stage.send("content");
                        stage.confirm();
                        stage.complete();
                    }),
            new Line(
                    "timeout: a peer that does not finish",
                    "complete: throws IOException Failed to complete",
                    stage -> {
                        stage.server.at(Moment.FINISHED, stage.server.stall());
                        stage.begin(
                                stage.client(builder -> builder.timeout(SHORT_MILLIS, TimeUnit.MILLISECONDS)),
                                TransferDirection.SEND);
                        stage.send("content");
                        stage.confirm();
                        stage.complete();
                    }),
            new Line("timeout: a peer that does not shake hands", "create SEND: throws IOException", stage -> {
                stage.server.at(Moment.HANDSHAKE, portOnly(stage.server.stall()));
                stage.begin(
                        stage.client(builder -> builder.timeout(SHORT_MILLIS, TimeUnit.MILLISECONDS)),
                        TransferDirection.SEND);
            }),
            new Line("timeout: a peer that stops in a packet", "receive: throws IOException", stage -> {
                stage.server.at(Moment.FIRST_PACKET, wire -> {
                    wire.say(ResponseCode.MORE_DATA);
                    wire.out.writeInt(0);
                    wire.out.flush();
                    return stage.server.stall().happen(wire);
                });
                stage.begin(
                        stage.client(builder -> builder.portName("out").timeout(SHORT_MILLIS, TimeUnit.MILLISECONDS)),
                        TransferDirection.RECEIVE);
                stage.receive();
            }),
            new Line("nodePenalizationPeriod: over when it is over", "complete: 1 packets", stage -> {
                stage.server.at(
                        Moment.HANDSHAKE,
                        portOnly(ScriptedServer.answer(ResponseCode.PORT_NOT_IN_VALID_STATE, "stopped")));
                final SiteToSiteClient client =
                        stage.client(builder -> builder.nodePenalizationPeriod(1, TimeUnit.SECONDS));
                stage.begin(client, TransferDirection.SEND);
                stage.begin(client, TransferDirection.SEND);
                stage.server.asUsual(Moment.HANDSHAKE);
                final Predicate<Transaction> there = begun -> begun != null;
                await().until(() -> stage.transaction = client.createTransaction(TransferDirection.SEND), there);
                stage.send("content");
                stage.confirm();
                stage.complete();
            }),
            new Line("peerPersistenceFile: has the peers", "kept: true", stage -> {
                final File file = stage.folder.resolve("peers").toFile();
                stage.pushOne(stage.client(builder -> builder.peerPersistenceFile(file)));
                final String kept = Files.readString(file.toPath());
                stage.transcript.add("kept: " + kept.contains("127.0.0.1:" + stage.server.port() + ":false"));
                stage.transcript.add("kept: " + kept.lines().count() + " lines");
            }),
            new Line("stateManager: has the peers", "kept: true", stage -> {
                final Map<String, String> written = new TreeMap<>();
                stage.pushOne(stage.client(builder -> builder.stateManager(states(written))));
                stage.transcript.add("kept: " + written.keySet());
                stage.transcript.add(
                        "kept: " + written.toString().contains("127.0.0.1:" + stage.server.port() + ":false"));
            }),
            new Line("httpProxy: asks the REST API for us", "proxy: true", stage -> {
                // What is asked of a proxy has the same path as what it asks for.
                stage.pushOne(stage.client(builder -> builder.url("http://127.0.0.1:1/nifi")
                        .httpProxy(new HttpProxy("127.0.0.1", stage.site.port(), null, null))));
                stage.transcript.add("proxy: " + (stage.site.asked.get() > 0));
            }),
            new Line("localAddress: of any kind", "complete: 1 packets", stage -> {
                final InetAddress own = InetAddress.getByName("127.0.0.1");
                stage.pushOne(stage.client(builder -> builder.localAddress(own)));
            }),
            new Line("isSecure: as NiFi says", "secure: false", stage -> {
                final SiteToSiteClient client = stage.client(builder -> builder);
                stage.step("secure", client::isSecure);
            }),
            new Line("getConfig: what was built", "config: port in", stage -> {
                final SiteToSiteClient client = stage.client(builder -> builder);
                stage.step(
                        "config",
                        () -> "port " + client.getConfig().getPortName() + " "
                                + client.getConfig().getUrls().contains(stage.site.url()));
            }),
            new Line("close: nothing begins any more, and a second time does nothing", "Client is closed", stage -> {
                final SiteToSiteClient client = stage.client(builder -> builder);
                stage.pushOne(client);
                client.close();
                client.close();
                stage.begin(client, TransferDirection.SEND);
            }));

    @ParameterizedTest
    @FieldSource("BUILDERS")
    void theBuilderPromisesWhatNifisClientDoes(final Line line, @TempDir final Path folder) throws Exception {
        assertSame(line, folder);
    }

    /** Key and trust of the builder, as an {@code SSLContext} and as files. */
    @ParameterizedTest
    @ValueSource(strings = {"sslContext", "keystoreFilename", "none"})
    void aSecureSiteIsServedOverTls(final String how, @TempDir final Path folder) throws Exception {
        final TestCertificates.Identity node = TestCertificates.identity("node");
        final TestCertificates.Identity own = TestCertificates.identity("client");
        final Path store = folder.resolve("store.p12");
        TestCertificates.write(store, own, node);
        final Map<Maker, List<String>> transcripts = new LinkedHashMap<>();
        for (final Maker maker : Maker.values()) {
            final ScriptedServer server = new ScriptedServer(0, TestCertificates.context(node, own));
            try (Stage stage = new Stage(maker, folder, server, true)) {
                final UnaryOperator<SiteToSiteClient.Builder> tls =
                        switch (how) {
                            case "sslContext" -> {
                                final var context = TestCertificates.context(own, node);
                                yield builder -> builder.sslContext(context);
                            }
                            case "keystoreFilename" ->
                                builder -> builder.keystoreFilename(store.toString())
                                        .keystorePass(TestCertificates.password())
                                        .keystoreType(KeystoreType.PKCS12)
                                        .truststoreFilename(store.toString())
                                        .truststorePass(TestCertificates.password())
                                        .truststoreType(KeystoreType.PKCS12);
                            default -> builder -> builder;
                        };
                final SiteToSiteClient client = stage.client(tls);
                stage.step("secure", client::isSecure);
                stage.pushOne(client);
                if (how.equals("none")) {
                    // Nobody to speak with: NiFi's client has no transaction for us, ours says why.
                    stage.transcript.removeLast();
                } else {
                    stage.step("peer", () -> stage.transaction.getCommunicant().getDistinguishedName());
                }
                transcripts.put(maker, stage.transcript);
            }
        }
        assertEquals(transcripts.get(Maker.NIFI), transcripts.get(Maker.NIO));
        assertEquals(!how.equals("none"), transcripts.get(Maker.NIFI).toString().contains("complete: 1 packets"));
    }
}
