// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.nios2s.peers.TestPeer;
import org.nios2s.wire.ChunkInflater;
import org.nios2s.wire.HandshakeProperty;
import org.nios2s.wire.ModifiedUtf8;
import org.nios2s.wire.PacketDecoder;
import org.nios2s.wire.PacketEncoder;
import org.nios2s.wire.RequestType;
import org.nios2s.wire.ResponseCode;
import org.nios2s.wire.ResponseMessage;

/** What docs/protocol.md says against the codecs, the listener and NiFi's enumerations. Lives on the test's thread. */
class ProtocolDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "protocol.md");
    private static final String FROM_PEER = "> ";
    private static final int HEX_COLUMNS = 59;
    private static final byte[] HELLO = "hello".getBytes(StandardCharsets.US_ASCII);
    private static final Map<String, String> ATTRIBUTES = Map.of("filename", "a.txt");
    private static final int MOST_ATTRIBUTE_BYTES = 1_000;

    private final String document = Files.readString(DOCUMENT);

    ProtocolDocumentTest() throws IOException {}

    private List<String> example(final String name) {
        final MatchResult block = matches("(?s)```hex " + name + "\n(.*?)```").getFirst();
        return block.group(1).lines().toList();
    }

    private List<MatchResult> matches(final String pattern) {
        return Pattern.compile(pattern).matcher(document).results().toList();
    }

    private static byte[] bytes(final String line) {
        return ByteBufUtil.decodeHexDump(line.substring(0, Math.min(line.length(), HEX_COLUMNS))
                .substring(2)
                .replace(" ", ""));
    }

    private ByteBuf said(final String example, final boolean byPeer) {
        final ByteBuf all = Unpooled.buffer();
        example(example).stream()
                .filter(line -> line.startsWith(FROM_PEER) == byPeer)
                .forEach(line -> all.writeBytes(bytes(line)));
        return all;
    }

    @Test
    void theListenerAnswersThePushAsTheDocumentSays() throws Exception {
        try (SteppedListener listener = new SteppedListener();
                TestPeer peer = listener.connect()) {
            for (final String line : example("push")) {
                final byte[] bytes = bytes(line);
                if (line.startsWith(FROM_PEER)) {
                    peer.say(bytes);
                } else {
                    assertArrayEquals(bytes, peer.in().readNBytes(bytes.length), line);
                }
            }
            assertEquals(-1, peer.in().read());
            assertEquals(2, listener.input().committed().size());
            listener.assertNoFault();
        }
    }

    @Test
    void thePushIsWhatTheCodecsWrite() throws Exception {
        final ByteBuf peer = opening(Map.of("GZIP", "false", "PORT_IDENTIFIER", "input"), said("push", true));
        final ByteBuf expected = Unpooled.buffer();
        ModifiedUtf8.write(expected, RequestType.SEND_FLOWFILES.name());
        PacketEncoder.writeHeader(expected, ATTRIBUTES, HELLO.length);
        expected.writeBytes(HELLO);
        ResponseMessage.write(expected, ResponseCode.CONTINUE_TRANSACTION);
        PacketEncoder.writeHeader(expected, Map.of(), 0);
        ResponseMessage.write(expected, ResponseCode.FINISH_TRANSACTION);
        ResponseMessage.write(expected, ResponseCode.CONFIRM_TRANSACTION, "");
        ModifiedUtf8.write(expected, RequestType.SHUTDOWN.name());

        assertEquals(ByteBufUtil.hexDump(expected), ByteBufUtil.hexDump(peer));
    }

    @Test
    void thePullIsWhatTheCodecsRead() throws Exception {
        final ByteBuf peer = said("pull", true);
        final ByteBuf server = said("pull", false);
        assertEquals(RequestType.RECEIVE_FLOWFILES.name(), ModifiedUtf8.readIfComplete(peer));
        answers(server, ResponseCode.MORE_DATA);
        final long checksum = readPacket(server);
        answers(server, ResponseCode.FINISH_TRANSACTION);
        assertEquals(
                new ResponseMessage(ResponseCode.CONFIRM_TRANSACTION, String.valueOf(checksum)),
                ResponseMessage.readIfComplete(peer));
        assertEquals(new ResponseMessage(ResponseCode.CONFIRM_TRANSACTION, ""), ResponseMessage.readIfComplete(server));
        answers(peer, ResponseCode.TRANSACTION_FINISHED);
        assertEquals(RequestType.SHUTDOWN.name(), ModifiedUtf8.readIfComplete(peer));
        assertFalse(peer.isReadable() || server.isReadable());
    }

    /** Reads up to the first transaction. */
    private static ByteBuf opening(final Map<String, String> properties, final ByteBuf peer) throws Exception {
        assertEquals("NiFi", peer.readCharSequence(4, StandardCharsets.US_ASCII).toString());
        assertEquals("SocketFlowFileProtocol", ModifiedUtf8.readIfComplete(peer));
        assertEquals(6, peer.readInt());
        ModifiedUtf8.readIfComplete(peer);
        ModifiedUtf8.readIfComplete(peer);
        final Map<String, String> read = new TreeMap<>();
        for (int left = peer.readInt(); left > 0; left--) {
            read.put(ModifiedUtf8.readIfComplete(peer), ModifiedUtf8.readIfComplete(peer));
        }
        final Map<String, String> all = new TreeMap<>(properties);
        all.put("REQUEST_EXPIRATION_MILLIS", "30000");
        assertEquals(all, read);
        assertEquals(RequestType.NEGOTIATE_FLOWFILE_CODEC.name(), ModifiedUtf8.readIfComplete(peer));
        assertEquals("StandardFlowFileCodec", ModifiedUtf8.readIfComplete(peer));
        assertEquals(1, peer.readInt());
        return peer;
    }

    private static void answers(final ByteBuf in, final ResponseCode expected) throws Exception {
        assertEquals(new ResponseMessage(expected, null), ResponseMessage.readIfComplete(in));
    }

    /** @return the checksum of the example's only packet */
    private static long readPacket(final ByteBuf chunks) throws Exception {
        final ByteBuf plain = Unpooled.buffer();
        try (ChunkInflater inflater = new ChunkInflater()) {
            while (!inflater.isAtEnd()) {
                assertTrue(inflater.inflate(chunks, plain));
            }
        }
        final List<Object> packets = new ArrayList<>();
        final PacketDecoder decoder = new PacketDecoder(
                new PacketDecoder.Handler() {
                    @Override
                    public void packetBegins(final Map<String, String> attributes, final long contentLength) {
                        packets.add(attributes);
                    }

                    @Override
                    public void content(final ByteBuf in, final int length) {
                        packets.add(in.readCharSequence(length, StandardCharsets.US_ASCII)
                                .toString());
                    }

                    @Override
                    public void packetEnds() {}
                },
                MOST_ATTRIBUTE_BYTES);
        assertTrue(decoder.decode(plain));
        assertEquals(List.of(ATTRIBUTES, "hello"), packets);
        return decoder.checksum();
    }

    @Test
    void itsResponseCodesAreNiFis() {
        final Set<String> documented = matches("(?m)^\\| (\\d+) \\| ([A-Z_]+) \\| (yes|no) \\|").stream()
                .map(row -> row.group(1) + " " + row.group(2) + " " + row.group(3))
                .collect(Collectors.toSet());
        assertEquals(
                Stream.of(ResponseCode.values())
                        .map(code -> code.number() + " " + code.name() + " " + (code.hasText() ? "yes" : "no"))
                        .collect(Collectors.toSet()),
                documented);
    }

    @Test
    void itsHandshakePropertiesAreNiFis() {
        assertEquals(names(HandshakeProperty.values()), firstColumn("(?m)^\\| `([A-Z_]+)` \\| \\d \\|"));
    }

    @Test
    void itsRequestsAreNiFis() {
        assertEquals(names(RequestType.values()), firstColumn("(?m)^\\| `([A-Z_]+)` \\| (?!\\d)[^|]*\\|$"));
    }

    private Set<String> firstColumn(final String row) {
        return matches(row).stream().map(match -> match.group(1)).collect(Collectors.toSet());
    }

    private static Set<String> names(final Enum<?>... values) {
        return Stream.of(values).map(Enum::name).collect(Collectors.toSet());
    }
}
