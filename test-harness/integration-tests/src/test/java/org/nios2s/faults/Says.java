// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.apache.nifi.remote.protocol.ResponseCode;

/**
 * What peers say, as bytes: the answers are known before, so nobody has to wait for them.
 * Stateless, for any thread.
 */
final class Says {

    static final int NEWEST_VERSION = 6;

    /** Part of a message. */
    @FunctionalInterface
    interface Fields {
        void write(DataOutputStream out) throws IOException;
    }

    private Says() {}

    static byte[] bytes(final Fields fields) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            fields.write(new DataOutputStream(bytes));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static byte[] all(final byte[]... messages) {
        return bytes(out -> {
            for (final byte[] message : messages) {
                out.write(message);
            }
        });
    }

    static byte[] magic() {
        return bytes(out -> out.writeBytes("NiFi"));
    }

    static byte[] utf(final String text) {
        return bytes(out -> out.writeUTF(text));
    }

    static byte[] protocol(final int version) {
        return bytes(out -> {
            out.writeUTF("SocketFlowFileProtocol");
            out.writeInt(version);
        });
    }

    static byte[] handshake(final Map<String, String> properties) {
        return bytes(out -> {
            out.writeUTF("attacker");
            out.writeUTF("nifi://attacker:1234/");
            out.writeInt(properties.size());
            for (final Map.Entry<String, String> property : properties.entrySet()) {
                out.writeUTF(property.getKey());
                out.writeUTF(property.getValue());
            }
        });
    }

    static byte[] codec() {
        return bytes(out -> {
            out.writeUTF("NEGOTIATE_FLOWFILE_CODEC");
            out.writeUTF("StandardFlowFileCodec");
            out.writeInt(1);
        });
    }

    /** The properties of an ordinary handshake; no port where that is null. */
    static Map<String, String> properties(final String portId, final boolean gzip) {
        final Map<String, String> properties = new LinkedHashMap<>();
        properties.put("GZIP", String.valueOf(gzip));
        if (portId != null) {
            properties.put("PORT_IDENTIFIER", portId);
        }
        properties.put("REQUEST_EXPIRATION_MILLIS", "30000");
        return properties;
    }

    /** Everything up to the first request of a transaction. */
    static byte[] opening(final String portId, final boolean gzip) {
        return all(magic(), protocol(NEWEST_VERSION), handshake(properties(portId, gzip)), codec());
    }

    /** One FlowFile is enough for each transaction. */
    static byte[] openingOfSinglePulls(final String portId) {
        final Map<String, String> properties = new HashMap<>(properties(portId, false));
        properties.put("BATCH_COUNT", "1");
        return all(magic(), protocol(NEWEST_VERSION), handshake(properties), codec());
    }

    static byte[] openingWithoutPort() {
        return all(magic(), protocol(NEWEST_VERSION), handshake(properties(null, false)));
    }

    static byte[] response(final ResponseCode code, final String message) {
        return bytes(out -> code.writeResponse(out, message));
    }

    static byte[] packetHeader(final Map<String, String> attributes, final long contentLength) {
        return bytes(out -> {
            out.writeInt(attributes.size());
            for (final Map.Entry<String, String> attribute : attributes.entrySet()) {
                string(out, attribute.getKey());
                string(out, attribute.getValue());
            }
            out.writeLong(contentLength);
        });
    }

    private static void string(final DataOutputStream out, final String text) throws IOException {
        out.writeInt(text.length());
        out.writeBytes(text);
    }

    /** A compressed chunk of zeros, a thousandth of its size on the wire. */
    static byte[] zeroChunk(final int plainBytes, final boolean last) {
        return bytes(out -> {
            final ByteArrayOutputStream deflated = new ByteArrayOutputStream();
            try (DeflaterOutputStream deflater =
                    new DeflaterOutputStream(deflated, new Deflater(Deflater.BEST_COMPRESSION))) {
                deflater.write(new byte[plainBytes]);
            }
            out.writeBytes("SYNC");
            out.writeInt(plainBytes);
            out.writeInt(deflated.size());
            out.write(deflated.toByteArray());
            out.writeByte(last ? 0 : 1);
        });
    }

    static Iterator<byte[]> once(final byte[] piece) {
        return List.of(piece).iterator();
    }

    /** One piece, then another without end. */
    static Iterator<byte[]> thenForever(final byte[] first, final byte[] again) {
        return Stream.concat(Stream.of(first), Stream.generate(() -> again)).iterator();
    }

    /** So many times the same. */
    static byte[] times(final int count, final byte[] message) {
        return bytes(out -> {
            for (int i = 0; i < count; i++) {
                out.write(message);
            }
        });
    }
}
