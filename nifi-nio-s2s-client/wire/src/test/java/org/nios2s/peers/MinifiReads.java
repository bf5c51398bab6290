// SPDX-License-Identifier: Apache-2.0
package org.nios2s.peers;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.InflaterInputStream;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.util.StandardDataPacket;

/**
 * Reads packets as MiNiFi C++ does: each number, and up to 4,096 bytes of a content, by one read, which has to be enough. Only strings
 * are read until they are complete. Stateless; any thread.
 */
public final class MinifiReads {
    private static final int MAX_READ_BYTES = 4_096;
    private static final int SYNC_BYTES = 4;

    private MinifiReads() {}

    /** A read of MiNiFi C++ had too little: it gives the transaction up. */
    public static final class TornException extends IOException {
        private static final long serialVersionUID = 1L;

        private TornException(final int read, final int wanted) {
            super("A read of " + wanted + " bytes had " + read);
        }
    }

    /** @param socket an input that reads nothing ahead */
    public static DataPacket packet(final InputStream socket) throws IOException {
        final Map<String, String> attributes = new HashMap<>();
        for (int left = once(socket, Integer.BYTES).getInt(); left > 0; left--) {
            final String name = string(socket);
            attributes.put(name, string(socket));
        }
        final long size = once(socket, Long.BYTES).getLong();
        final ByteBuffer content = ByteBuffer.allocate(Math.toIntExact(size));
        while (content.hasRemaining()) {
            content.put(once(socket, Math.min(content.remaining(), MAX_READ_BYTES)));
        }
        return new StandardDataPacket(attributes, new ByteArrayInputStream(content.array()), size);
    }

    /** @return the plain bytes of a compressed packet; each field of a chunk has to come by one read, and so has what is in the chunk */
    public static InputStream inflating(final InputStream socket) {
        return new InflatingStream(socket);
    }

    private static final class InflatingStream extends InputStream {
        private final InputStream socket;
        private ByteBuffer chunk = ByteBuffer.allocate(0);

        private InflatingStream(final InputStream socket) {
            this.socket = socket;
        }

        @Override
        public int read() throws IOException {
            throw new UnsupportedOperationException("MiNiFi C++ reads arrays");
        }

        /** Unlike a socket it fills the array, from as many chunks as that takes. */
        @Override
        public int read(final byte[] bytes, final int offset, final int length) throws IOException {
            int filled = 0;
            while (filled < length) {
                if (!chunk.hasRemaining()) {
                    chunk = nextChunk();
                }
                final int some = Math.min(chunk.remaining(), length - filled);
                chunk.get(bytes, offset + filled, some);
                filled += some;
            }
            return filled;
        }

        private ByteBuffer nextChunk() throws IOException {
            once(socket, SYNC_BYTES);
            final byte[] plain = new byte[once(socket, Integer.BYTES).getInt()];
            final byte[] deflated =
                    once(socket, once(socket, Integer.BYTES).getInt()).array();
            try (InputStream inflated = new InflaterInputStream(new ByteArrayInputStream(deflated))) {
                inflated.readNBytes(plain, 0, plain.length);
            }
            once(socket, Byte.BYTES);
            return ByteBuffer.wrap(plain);
        }
    }

    private static String string(final InputStream socket) throws IOException {
        final int length = once(socket, Integer.BYTES).getInt();
        return new String(socket.readNBytes(length), StandardCharsets.UTF_8);
    }

    private static ByteBuffer once(final InputStream socket, final int wanted) throws IOException {
        final byte[] bytes = new byte[wanted];
        final int read = socket.read(bytes);
        if (read != wanted) {
            throw new TornException(read, wanted);
        }
        return ByteBuffer.wrap(bytes);
    }
}
