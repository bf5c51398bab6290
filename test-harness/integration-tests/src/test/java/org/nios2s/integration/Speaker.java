// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.io.CompressionOutputStream;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.remote.util.StandardDataPacket;
import org.nios2s.peers.Message;

/**
 * Makes bytes of the lines of a conversation in which the peer speaks.
 * For the one thread on which its conversation is held.
 */
final class Speaker {

    private static final int FIRST_VERSION_WITH_TRANSIT_URI = 3;
    private static final String RANDOM = "random:";
    private static final String ZEROS = "zeros:";
    private static final String CONTENT = "|";
    private static final String CONVERSATION = "${conversation}";
    private static final String TRANSIT_URI = "${transit-uri}";

    /** How much MiNiFi C++ compresses at a time, and how much of a content it writes at a time. */
    private static final int MINIFI_CHUNK = 65_536;

    private static final int MINIFI_BUFFER = 4096;

    private final String conversation;
    private final String transitUri;
    private int packets;

    /**
     * @param conversation its name, which packets carry as their id
     * @param transitUri what the peer says its transit URI is
     */
    Speaker(final String conversation, final String transitUri) {
        this.conversation = conversation;
        this.transitUri = transitUri;
    }

    /** What a line stands for, one array for each write, or null if in that line the peer does not speak. */
    List<byte[]> say(final ScriptLine line) throws IOException {
        return switch (line.verb()) {
            case "split-utf" -> splitUtf(line.argument(0, ""));
            case "minifi-packet" -> minifiPacket(line.arguments());
            case "minifi-gzip-packet" -> minifiChunks(line.arguments());
            default -> {
                final byte[] bytes = sayAtOnce(line);
                yield bytes == null ? null : List.of(bytes);
            }
        };
    }

    private byte[] sayAtOnce(final ScriptLine line) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        final String first = line.argument(0, "");
        switch (line.verb()) {
            case "magic" -> out.write(Message.magic());
            case "text" -> out.write(first.getBytes(StandardCharsets.UTF_8));
            case "hex" -> out.write(HexFormat.of().parseHex(String.join("", line.arguments())));
            case "zeros" -> out.write(new byte[Integer.parseInt(first)]);
            case "byte" -> out.writeByte(Integer.parseInt(first));
            case "int" -> out.writeInt(Integer.parseInt(first));
            case "long" -> out.writeLong(Long.parseLong(first));
            case "utf" -> out.writeUTF(first.replace(CONVERSATION, conversation).replace(TRANSIT_URI, transitUri));
            case "str" -> {
                out.writeInt(first.getBytes(StandardCharsets.UTF_8).length);
                out.write(first.getBytes(StandardCharsets.UTF_8));
            }
            case "protocol" -> out.write(Message.protocol(Integer.parseInt(line.argument(0, "6"))));
            case "codec" -> out.write(Message.codec(Integer.parseInt(line.argument(0, "1"))));
            case "properties" -> properties(out, line.arguments());
            case "request" -> out.writeUTF(first);
            case "response" -> out.write(response(ResponseCode.valueOf(first), line.argument(1, "")));
            case "packet" -> packet(out, line.arguments(), true);
            case "bare-packet" -> packet(out, line.arguments(), false);
            case "gzip-packet" -> {
                try (OutputStream compressed = new CompressionOutputStream(out)) {
                    packet(compressed, line.arguments(), true);
                }
            }
            case "wide-packet" -> widePacket(out, Integer.parseInt(first), line.arguments());
            case "gzip-wide-packet" -> {
                try (OutputStream compressed = new CompressionOutputStream(out)) {
                    widePacket(compressed, Integer.parseInt(first), line.arguments());
                }
            }
            case "long-str" -> {
                out.writeInt(Integer.parseInt(first));
                out.writeBytes("x".repeat(Integer.parseInt(first)));
            }
            case "long-utf" -> out.writeUTF("x".repeat(Integer.parseInt(first)));
            case "chunk" -> chunk(out, line.arguments());
            default -> {
                return null;
            }
        }
        return bytes.toByteArray();
    }

    private void properties(final DataOutputStream out, final List<String> arguments) throws IOException {
        out.writeUTF(conversation);
        if (Integer.parseInt(arguments.getFirst().substring(1)) >= FIRST_VERSION_WITH_TRANSIT_URI) {
            out.writeUTF(transitUri);
        }
        final List<String> properties = arguments.subList(1, arguments.size());
        out.writeInt(properties.size());
        for (final String property : properties) {
            final int end = property.indexOf('=');
            out.writeUTF(property.substring(0, end));
            out.writeUTF(property.substring(end + 1));
        }
    }

    private static byte[] response(final ResponseCode code, final String message) {
        if (code.containsMessage()) {
            return Message.response(code, message);
        }
        return Message.response(code);
    }

    private void packet(final OutputStream out, final List<String> arguments, final boolean withId) throws IOException {
        final Map<String, String> attributes = new LinkedHashMap<>();
        if (withId) {
            attributes.put("packet.id", conversation + "-" + packets);
            packets++;
        }
        final int contentAt = arguments.indexOf(CONTENT);
        for (final String attribute : contentAt < 0 ? arguments : arguments.subList(0, contentAt)) {
            final int end = attribute.indexOf('=');
            attributes.put(attribute.substring(0, end), attribute.substring(end + 1));
        }
        final byte[] content = content(arguments);
        new StandardFlowFileCodec()
                .encode(new StandardDataPacket(attributes, new ByteArrayInputStream(content), content.length), out);
    }

    /** One chunk of a compressed packet, whose every field can be made to lie. */
    private static void chunk(final DataOutputStream out, final List<String> arguments) throws IOException {
        final byte[] plain = content(arguments);
        final byte[] deflated = deflate(plain);
        final Map<String, String> fields = new LinkedHashMap<>();
        fields.put("sync", "SYNC");
        fields.put("plain", String.valueOf(plain.length));
        fields.put("deflated", String.valueOf(deflated.length));
        fields.put("next", "0");
        final int contentAt = arguments.indexOf(CONTENT);
        for (final String field : contentAt < 0 ? arguments : arguments.subList(0, contentAt)) {
            final int end = field.indexOf('=');
            fields.put(field.substring(0, end), field.substring(end + 1));
        }
        out.writeBytes(fields.get("sync"));
        out.writeInt(Integer.parseInt(fields.get("plain")));
        out.writeInt(Integer.parseInt(fields.get("deflated")));
        out.write(deflated);
        out.writeByte(Integer.parseInt(fields.get("next")));
    }

    /** A packet with as many attributes as are asked for, its id among them. */
    private void widePacket(final OutputStream out, final int width, final List<String> arguments) throws IOException {
        final List<String> packet = new ArrayList<>();
        final int contentAt = arguments.indexOf(CONTENT);
        final int given = (contentAt < 0 ? arguments.size() : contentAt) - 1;
        for (int attribute = 1; attribute < width - given; attribute++) {
            packet.add("a" + attribute + "=" + attribute);
        }
        packet.addAll(arguments.subList(1, arguments.size()));
        packet(out, packet, true);
    }

    /** A string as MiNiFi C++ writes it: its length, then its bytes. */
    private List<byte[]> splitUtf(final String text) {
        final byte[] utf = Message.utf(text.replace(CONVERSATION, conversation).replace(TRANSIT_URI, transitUri));
        return List.of(Arrays.copyOf(utf, Short.BYTES), Arrays.copyOfRange(utf, Short.BYTES, utf.length));
    }

    /** A packet as MiNiFi C++ writes it: attributes sorted by name, every length and every text in a write of its own. */
    private List<byte[]> minifiPacket(final List<String> arguments) {
        final Map<String, String> attributes = new TreeMap<>();
        attributes.put("packet.id", conversation + "-" + packets);
        packets++;
        final int contentAt = arguments.indexOf(CONTENT);
        for (final String attribute : contentAt < 0 ? arguments : arguments.subList(0, contentAt)) {
            final int end = attribute.indexOf('=');
            attributes.put(attribute.substring(0, end), attribute.substring(end + 1));
        }
        final byte[] content = content(arguments);
        final List<byte[]> writes = Message.packetFields(attributes, content.length);
        for (int from = 0; from < content.length; from += MINIFI_BUFFER) {
            writes.add(Arrays.copyOfRange(content, from, Math.min(content.length, from + MINIFI_BUFFER)));
        }
        return writes;
    }

    /** A compressed packet as MiNiFi C++ writes it: whether a chunk follows is said only when it does. */
    private List<byte[]> minifiChunks(final List<String> arguments) throws IOException {
        final byte[] plain = Message.all(minifiPacket(arguments).toArray(byte[][]::new));
        final List<byte[]> writes = new ArrayList<>();
        for (int from = 0; from < plain.length; from += MINIFI_CHUNK) {
            if (from > 0) {
                writes.add(new byte[] {1});
            }
            final byte[] chunk = Arrays.copyOfRange(plain, from, Math.min(plain.length, from + MINIFI_CHUNK));
            final byte[] deflated = deflate(chunk);
            writes.add("SYNC".getBytes(StandardCharsets.US_ASCII));
            writes.add(Message.integer(chunk.length));
            writes.add(Message.integer(deflated.length));
            for (int at = 0; at < deflated.length; at += MINIFI_BUFFER) {
                writes.add(Arrays.copyOfRange(deflated, at, Math.min(deflated.length, at + MINIFI_BUFFER)));
            }
        }
        writes.add(new byte[] {0});
        return writes;
    }

    private static byte[] deflate(final byte[] plain) throws IOException {
        final ByteArrayOutputStream deflated = new ByteArrayOutputStream();
        try (OutputStream deflater = new DeflaterOutputStream(deflated, new Deflater(Deflater.BEST_SPEED))) {
            deflater.write(plain);
        }
        return deflated.toByteArray();
    }

    /** The content that the arguments of a line tell. */
    static byte[] content(final List<String> arguments) {
        final int contentAt = arguments.indexOf(CONTENT);
        if (contentAt < 0) {
            return new byte[0];
        }
        final String text = String.join(" ", arguments.subList(contentAt + 1, arguments.size()));
        if (text.startsWith(RANDOM)) {
            final byte[] random = new byte[Integer.parseInt(text.substring(RANDOM.length()))];
            new Random(random.length).nextBytes(random);
            return random;
        }
        if (text.startsWith(ZEROS)) {
            return new byte[Integer.parseInt(text.substring(ZEROS.length()))];
        }
        if (text.startsWith("hex:")) {
            return HexFormat.of().parseHex(text.substring("hex:".length()));
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
