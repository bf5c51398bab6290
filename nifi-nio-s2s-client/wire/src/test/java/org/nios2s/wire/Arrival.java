// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A way in which the bytes of a conversation come in: in one piece, one by one, or in pieces of random length, each in
 * a kind of buffer. Lives on the test's thread.
 *
 * @param kind the buffers
 * @param pieces how the bytes are split
 * @param seed of the random lengths
 */
record Arrival(BufferKind kind, Pieces pieces, long seed) {
    private static final int RANDOM_SPLITS = 5;
    private static final int LONGEST_RANDOM_PIECE = 700;

    /** How the bytes are split. */
    enum Pieces {
        WHOLE,
        SINGLE_BYTES,
        RANDOM
    }

    /** Takes what has arrived; what it leaves is offered again with what follows. */
    interface Reader {
        void read(ByteBuf in) throws ProtocolException;
    }

    static Stream<Arrival> all() {
        final List<Arrival> arrivals = new ArrayList<>();
        for (final BufferKind kind : BufferKind.values()) {
            arrivals.add(new Arrival(kind, Pieces.WHOLE, 0));
            arrivals.add(new Arrival(kind, Pieces.SINGLE_BYTES, 0));
            for (int seed = 1; seed <= RANDOM_SPLITS; seed++) {
                arrivals.add(new Arrival(kind, Pieces.RANDOM, seed));
            }
        }
        return arrivals.stream();
    }

    /** @return the bytes that the reader has left when all had arrived */
    byte[] feed(final byte[] bytes, final Reader reader) throws ProtocolException {
        final Random random = new Random(seed);
        byte[] left = new byte[0];
        int from = 0;
        while (from < bytes.length) {
            final int length = Math.min(bytes.length - from, pieceLength(bytes.length, random));
            final byte[] offered = new byte[left.length + length];
            System.arraycopy(left, 0, offered, 0, left.length);
            System.arraycopy(bytes, from, offered, left.length, length);
            from += length;
            final ByteBuf in = kind.wrap(offered);
            try {
                reader.read(in);
                left = ByteBufUtil.getBytes(in);
            } finally {
                in.release();
            }
        }
        return left;
    }

    private int pieceLength(final int all, final Random random) {
        return switch (pieces) {
            case WHOLE -> all;
            case SINGLE_BYTES -> 1;
            case RANDOM -> 1 + random.nextInt(LONGEST_RANDOM_PIECE);
        };
    }
}
