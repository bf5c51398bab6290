// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.io.CompressionOutputStream;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.remote.util.StandardDataPacket;

/**
 * Makes bytes of the lines of a conversation in which the peer speaks.
 * For the one thread on which its conversation is held.
 */
final class Speaker {

    private static final int FIRST_VERSION_WITH_TRANSIT_URI = 3;
    private static final String RANDOM = "random:";
    private static final String CONTENT = "|";

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

    /** The bytes that a line stands for, or null if in that line the peer does not speak. */
    byte[] say(final ScriptLine line) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        final String first = line.argument(0, "");
        switch (line.verb()) {
            case "magic" -> out.writeBytes("NiFi");
            case "text" -> out.write(first.getBytes(StandardCharsets.UTF_8));
            case "hex" -> out.write(HexFormat.of().parseHex(String.join("", line.arguments())));
            case "zeros" -> out.write(new byte[Integer.parseInt(first)]);
            case "byte" -> out.writeByte(Integer.parseInt(first));
            case "int" -> out.writeInt(Integer.parseInt(first));
            case "long" -> out.writeLong(Long.parseLong(first));
            case "utf" -> out.writeUTF(first);
            case "str" -> {
                out.writeInt(first.getBytes(StandardCharsets.UTF_8).length);
                out.write(first.getBytes(StandardCharsets.UTF_8));
            }
            case "protocol" -> named(out, "SocketFlowFileProtocol", line.argument(0, "6"));
            case "codec" -> named(out, "StandardFlowFileCodec", line.argument(0, "1"));
            case "properties" -> properties(out, line.arguments());
            case "request" -> out.writeUTF(first);
            case "response" -> response(out, ResponseCode.valueOf(first), line.argument(1, ""));
            case "packet" -> packet(out, line.arguments(), true);
            case "bare-packet" -> packet(out, line.arguments(), false);
            case "gzip-packet" -> {
                try (OutputStream compressed = new CompressionOutputStream(out)) {
                    packet(compressed, line.arguments(), true);
                }
            }
            case "chunk" -> chunk(out, line.arguments());
            default -> {
                return null;
            }
        }
        return bytes.toByteArray();
    }

    private static void named(final DataOutputStream out, final String name, final String version) throws IOException {
        out.writeUTF(name);
        out.writeInt(Integer.parseInt(version));
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

    private static void response(final DataOutputStream out, final ResponseCode code, final String message)
            throws IOException {
        if (code.containsMessage()) {
            code.writeResponse(out, message);
        } else {
            code.writeResponse(out);
        }
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
        final ByteArrayOutputStream deflated = new ByteArrayOutputStream();
        try (OutputStream deflater = new DeflaterOutputStream(deflated, new Deflater(1))) {
            deflater.write(plain);
        }
        final Map<String, String> fields = new LinkedHashMap<>();
        fields.put("sync", "SYNC");
        fields.put("plain", String.valueOf(plain.length));
        fields.put("deflated", String.valueOf(deflated.size()));
        fields.put("next", "0");
        final int contentAt = arguments.indexOf(CONTENT);
        for (final String field : contentAt < 0 ? arguments : arguments.subList(0, contentAt)) {
            final int end = field.indexOf('=');
            fields.put(field.substring(0, end), field.substring(end + 1));
        }
        out.writeBytes(fields.get("sync"));
        out.writeInt(Integer.parseInt(fields.get("plain")));
        out.writeInt(Integer.parseInt(fields.get("deflated")));
        out.write(deflated.toByteArray());
        out.writeByte(Integer.parseInt(fields.get("next")));
    }

    private static byte[] content(final List<String> arguments) {
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
        if (text.startsWith("hex:")) {
            return HexFormat.of().parseHex(text.substring("hex:".length()));
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
