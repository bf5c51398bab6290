// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.nifi;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransactionCompletion;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.HandshakeProperty;
import org.nios2s.client.ScriptedServer;
import org.nios2s.client.ScriptedServer.Received;
import org.nios2s.client.ScriptedSite;

/**
 * Leads NiFi's own client and the drop-in through the same calls, with a server of its own each; both transcripts, the bytes
 * on the wire included, have to be the same. Lives on the test's thread.
 */
final class DropInOracle {
    private DropInOracle() {}

    /** Who speaks. */
    enum Maker {
        NIFI {
            @Override
            SiteToSiteClient make(final SiteToSiteClient.Builder builder) {
                return builder.build();
            }
        },
        NIO {
            @Override
            SiteToSiteClient make(final SiteToSiteClient.Builder builder) {
                return new NioSiteToSiteClient(builder.buildConfig());
            }
        };

        abstract SiteToSiteClient make(SiteToSiteClient.Builder builder);
    }

    /** A call that is written down. */
    @FunctionalInterface
    interface Call {
        Object happen() throws Exception;
    }

    /** What is done with a client. */
    @FunctionalInterface
    interface Script {
        void play(Stage stage) throws Exception;
    }

    /**
     * A line of the contract.
     *
     * @param name what it says
     * @param expected what both transcripts contain, so that they do not agree on something else
     * @param script what is done
     */
    record Line(String name, String expected, Script script) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** One client, its server, and what happened. Lives on the test's thread. */
    static final class Stage implements Closeable {
        private final Maker maker;
        final Path folder;
        final ScriptedServer server;
        final ScriptedSite site;
        private final List<Closeable> open = new ArrayList<>();
        final List<String> transcript = new ArrayList<>();
        Transaction transaction;

        Stage(final Maker maker, final Path folder) throws IOException {
            this(maker, folder, new ScriptedServer(), false);
        }

        Stage(final Maker maker, final Path folder, final ScriptedServer server, final boolean secure)
                throws IOException {
            this.maker = maker;
            this.folder = folder;
            this.server = server;
            server.peers.put("127.0.0.1", new int[] {server.port(), 0});
            site = new ScriptedSite(server.port(), secure);
        }

        SiteToSiteClient client(final UnaryOperator<SiteToSiteClient.Builder> change) {
            final SiteToSiteClient client = maker.make(change.apply(site.client("in")));
            open.add(client);
            return client;
        }

        /** Writes down what a call returns or throws, and the state of the transaction after it. */
        void step(final String name, final Call call) throws IOException {
            String outcome;
            try {
                outcome = String.valueOf(call.happen());
            } catch (final Exception e) {
                outcome = "throws " + kind(e);
            }
            transcript.add(name + ": " + outcome + (transaction == null ? "" : ", " + transaction.getState()));
        }

        /** @return the class that users of NiFi's client know, and the first words of NiFi's own messages */
        private static String kind(final Exception failure) {
            Class<?> type = failure.getClass();
            while (type.getName().startsWith("org.nios2s") || isMoreSaid(type)) {
                type = type.getSuperclass();
            }
            final String[] words = String.valueOf(failure.getMessage()).split(" ");
            final boolean said = words[0].equals("Failed") || failure instanceof IllegalStateException;
            return type.getSimpleName() + (said ? " " + words[0] + " " + words[1] + " " + words[2] : "");
        }

        /** The documentation lists that these are found among the causes. */
        private static boolean isMoreSaid(final Class<?> type) {
            return Set.of(
                            "HttpHostConnectException",
                            "ConnectException",
                            "SocketException",
                            "SocketTimeoutException",
                            "InterruptedIOException",
                            "UnreachableClusterException")
                    .contains(type.getSimpleName());
        }

        void begin(final SiteToSiteClient client, final TransferDirection direction) throws IOException {
            transaction = null;
            step("create " + direction, () -> {
                transaction = client.createTransaction(direction);
                return transaction == null ? "none" : "one";
            });
        }

        void begin(final TransferDirection direction) throws IOException {
            begin(
                    client(builder -> direction == TransferDirection.SEND ? builder : builder.portName("out")),
                    direction);
        }

        void send(final String content) throws IOException {
            step("send", () -> {
                transaction.send(content.getBytes(StandardCharsets.UTF_8), Map.of("n", "v"));
                return "sent";
            });
        }

        void receive() throws IOException {
            step("receive", () -> {
                final DataPacket packet = transaction.receive();
                return packet == null
                        ? "nothing"
                        : packet.getAttributes() + " " + packet.getSize() + " "
                                + abbreviated(new String(packet.getData().readAllBytes(), StandardCharsets.UTF_8));
            });
        }

        void confirm() throws IOException {
            step("confirm", () -> {
                transaction.confirm();
                return "confirmed";
            });
        }

        void complete() throws IOException {
            step("complete", () -> {
                final TransactionCompletion done = transaction.complete();
                return done.getDataPacketsTransferred() + " packets, " + done.getBytesTransferred() + " bytes, backoff "
                        + done.isBackoff() + ", took time " + (done.getDuration(TimeUnit.NANOSECONDS) > 0);
            });
        }

        void cancel(final String explanation) throws IOException {
            step("cancel", () -> {
                transaction.cancel(explanation);
                return "cancelled";
            });
        }

        void error() throws IOException {
            step("error", () -> {
                transaction.error();
                return "ended";
            });
        }

        void pushOne(final SiteToSiteClient client) throws IOException {
            begin(client, TransferDirection.SEND);
            if (transaction != null) {
                send("content");
                confirm();
                complete();
            }
        }

        void handshake(final HandshakeProperty... names) {
            final Map<HandshakeProperty, String> last = server.handshakes.stream()
                    .filter(one -> one.containsKey(HandshakeProperty.PORT_IDENTIFIER))
                    .reduce(Map.of(), (first, second) -> second);
            final Map<HandshakeProperty, String> said = new TreeMap<>(last);
            if (names.length > 0) {
                said.keySet().retainAll(Set.of(names));
            }
            transcript.add("handshake: " + said);
        }

        private static String abbreviated(final String content) {
            return content.substring(0, Math.min(content.length(), 40)) + " #" + content.hashCode();
        }

        /** Ends the client and writes down what the server heard of its port, and what it committed. */
        void leave() throws Exception {
            for (final Closeable each : open.reversed()) {
                each.close();
            }
            open.clear();
            await().until(() -> server.openConnections() == 0);
            for (final var words : server.heard) {
                transcript.add("heard: " + legible(words.toByteArray()));
            }
            server.committed.forEach(packet -> transcript.add("committed: " + packet.attributes() + " "
                    + abbreviated(new String(packet.content(), StandardCharsets.UTF_8))));
            transcript.add("finished pulls: " + server.finishedPulls);
        }

        private static String legible(final byte[] words) {
            final StringBuilder text = new StringBuilder();
            for (final char letter : new String(words, StandardCharsets.ISO_8859_1).toCharArray()) {
                text.append(letter >= ' ' && letter <= '~' ? String.valueOf(letter) : "<" + (int) letter + ">");
            }
            // Said when the connection is no longer needed, whenever that is.
            final String said = text.toString().replaceAll("<0><8>SHUTDOWN$", "");
            return said.length() < 2_000 ? said : said.substring(0, 1_000) + "... #" + said.hashCode();
        }

        @Override
        public void close() throws IOException {
            for (final Closeable each : open.reversed()) {
                each.close();
            }
            site.close();
            server.close();
        }
    }

    private static List<String> play(final Line line, final Maker maker, final Path folder) throws Exception {
        try (Stage stage = new Stage(maker, Files.createDirectory(folder.resolve(maker.name())))) {
            line.script().play(stage);
            return stage.transcript;
        }
    }

    static void assertSame(final Line line, final Path folder) throws Exception {
        final List<String> expected = play(line, Maker.NIFI, folder);
        final List<String> actual = play(line, Maker.NIO, folder);
        assertEquals(String.join("\n", expected), String.join("\n", actual));
        assertEquals(
                true,
                expected.stream().anyMatch(said -> said.contains(line.expected())),
                () -> line.expected() + " is not said in " + expected);
    }

    static void offer(final Stage stage, final int... sizes) {
        for (final int size : sizes) {
            stage.server.offered.add(
                    new Received(Map.of("size", "" + size), "x".repeat(size).getBytes()));
        }
    }
}
