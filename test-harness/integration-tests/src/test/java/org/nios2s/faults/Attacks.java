// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.nifi.remote.protocol.ResponseCode;

/**
 * Every attack, at full strength; a test may take fewer peers.
 * Immutable, for any thread.
 *
 * @param inputPort  id of the input port
 * @param outputPort id of the output port, in whose queue there are FlowFiles
 */
record Attacks(String inputPort, String outputPort) {

    private static final int PLENTY = 64 * 1024;
    private static final int MEBIBYTE = 1024 * 1024;
    private static final int ATTRIBUTES = 25_000;
    private static final int UNKNOWN_VERSION = 7;
    private static final int BOMB_BYTES = 16 * MEBIBYTE;
    private static final long BOMB_CONTENT = 1L << 40;
    private static final long LARGE_CONTENT = 100L * MEBIBYTE;
    private static final int BEFORE_STALL = 3 * MEBIBYTE;
    private static final Duration AT_ONCE = Duration.ZERO;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final byte[] ONE_BYTE = {1};

    List<Attack> all() {
        return List.of(
                endlessProtocols(),
                endlessPeerLists(),
                endlessCodecs(),
                manyAttributes(),
                stalledPushes(),
                pullersThatDoNotRead(),
                halfOpenHandshakes(),
                endlessHandshake(),
                inflationBombs(),
                byteAMinute(),
                idle(),
                longNames());
    }

    /** Proposals of a version that is not known, without end; no answer is read. */
    Attack endlessProtocols() {
        final byte[] again = Says.protocol(UNKNOWN_VERSION);
        final byte[] many = Says.times(PLENTY / again.length, again);
        return new Attack("proposals without end", 50, AT_ONCE, false, peer -> Says.thenForever(Says.magic(), many));
    }

    /** Requests for the peer list, without end; no answer is read. */
    Attack endlessPeerLists() {
        final byte[] many = Says.times(PLENTY / 20, Says.utf("REQUEST_PEER_LIST"));
        return new Attack(
                "peer lists without end",
                50,
                AT_ONCE,
                false,
                peer -> Says.thenForever(Says.openingWithoutPort(), many));
    }

    /** Negotiations of the codec, without end; no answer is read. */
    Attack endlessCodecs() {
        final byte[] many = Says.times(PLENTY / Says.codec().length, Says.codec());
        return new Attack(
                "codecs without end",
                50,
                AT_ONCE,
                false,
                peer -> Says.thenForever(Says.opening(inputPort, false), many));
    }

    /** As many attributes as may be, each so short that its map entry costs many times its bytes; then a byte a second. */
    Attack manyAttributes() {
        final byte[] attributes = Says.bytes(out -> {
            out.writeInt(ATTRIBUTES);
            for (int i = 0; i < ATTRIBUTES - 1; i++) {
                out.writeInt(Integer.BYTES);
                out.writeInt(i);
                out.writeInt(Integer.BYTES);
                out.writeInt(i);
            }
            // The last one never ends.
            out.writeInt(PLENTY);
        });
        final byte[] beginning = Says.all(Says.opening(inputPort, false), Says.utf("SEND_FLOWFILES"), attributes);
        return new Attack("many attributes", 400, SECOND, false, peer -> Says.thenForever(beginning, ONE_BYTE));
    }

    /** Pushes of 100 MiB that stall after 3 MiB. */
    Attack stalledPushes() {
        final byte[] beginning = Says.all(
                Says.opening(inputPort, false),
                Says.utf("SEND_FLOWFILES"),
                Says.packetHeader(Map.of("name", "value"), LARGE_CONTENT));
        final byte[] content = new byte[BEFORE_STALL];
        return new Attack("pushes that stall", 200, AT_ONCE, false, peer -> List.of(beginning, content)
                .iterator());
    }

    /** Peers that pull and read nothing of it. */
    Attack pullersThatDoNotRead() {
        final byte[] pull = Says.all(Says.openingOfSinglePulls(outputPort), Says.utf("RECEIVE_FLOWFILES"));
        return new Attack("pullers that do not read", 1_500, AT_ONCE, false, peer -> Says.once(pull));
    }

    /** Connections that say half of the magic and no more. */
    Attack halfOpenHandshakes() {
        return new Attack("half-open handshakes", 20_000, AT_ONCE, false, peer -> Says.once(new byte[] {'N', 'i'}));
    }

    /** Handshakes of more properties than anyone can mean, each as long as can be. */
    Attack endlessHandshake() {
        final byte[] beginning = Says.all(
                Says.magic(), Says.protocol(6), Says.utf("id"), Says.utf("uri"), new byte[] {Byte.MAX_VALUE, 0, 0, 0});
        final byte[] longest = Says.utf("x".repeat(PLENTY - 1));
        return new Attack("handshakes without end", 200, AT_ONCE, false, peer -> Says.thenForever(beginning, longest));
    }

    /** Chunks that inflate to a thousand times their size, in a packet of a TiB. */
    Attack inflationBombs() {
        final byte[] header = Says.packetHeader(Map.of(), BOMB_CONTENT);
        final byte[] beginning =
                Says.all(Says.opening(inputPort, true), Says.utf("SEND_FLOWFILES"), smallChunk(header));
        final byte[] bomb = Says.zeroChunk(BOMB_BYTES, false);
        return new Attack("inflation bombs", 20, SECOND, false, peer -> Says.thenForever(beginning, bomb));
    }

    private static byte[] smallChunk(final byte[] plain) {
        return Says.bytes(out -> {
            final var deflated = new java.io.ByteArrayOutputStream();
            try (var deflater = new java.util.zip.DeflaterOutputStream(deflated)) {
                deflater.write(plain);
            }
            out.writeBytes("SYNC");
            out.writeInt(plain.length);
            out.writeInt(deflated.size());
            out.write(deflated.toByteArray());
            out.writeByte(1);
        });
    }

    /** Pushes of which a byte arrives each minute. */
    Attack byteAMinute() {
        final byte[] beginning = Says.all(
                Says.opening(inputPort, false),
                Says.utf("SEND_FLOWFILES"),
                Says.packetHeader(Map.of("name", "value"), LARGE_CONTENT));
        return new Attack("a byte a minute", 1_000, MINUTE, false, peer -> Says.thenForever(beginning, ONE_BYTE));
    }

    /** Connections that are opened and left alone. */
    Attack idle() {
        return new Attack(
                "one address opens everything",
                5_000,
                AT_ONCE,
                true,
                peer -> Says.once(Says.opening(inputPort, false)));
    }

    /** Names as long as can be wherever the listener logs one, each by a connection of its own. */
    Attack longNames() {
        return names("long names", 2_000, "x".repeat(PLENTY - 1));
    }

    /** Peers that put a name into each of the places from which it may get into the log. */
    Attack names(final String attack, final int peers, final String name) {
        final List<byte[]> places = places(name);
        return new Attack(attack, peers, AT_ONCE, true, peer -> Says.once(places.get(peer % places.size())));
    }

    private List<byte[]> places(final String name) {
        final byte[] opening = Says.opening(inputPort, false);
        final byte[] push =
                Says.all(opening, Says.utf("SEND_FLOWFILES"), Says.packetHeader(Map.of("name", name), 1), ONE_BYTE);
        return List.of(
                Says.all(Says.magic(), Says.utf(name), new byte[Integer.BYTES]),
                Says.all(Says.magic(), Says.protocol(6), Says.handshake(Map.of(name, "value"))),
                Says.all(Says.magic(), Says.protocol(6), Says.handshake(Says.properties(name, false))),
                Says.all(Says.magic(), Says.protocol(6), Says.handshake(Map.of("GZIP", "true", "BATCH_COUNT", name))),
                Says.all(
                        Says.magic(),
                        Says.protocol(6),
                        Says.utf(name),
                        Says.utf(name),
                        new byte[] {0, 0, 0, 1},
                        Says.utf("GZIP"),
                        Says.utf("false")),
                Says.all(
                        Says.magic(),
                        Says.protocol(6),
                        Says.utf(name),
                        Says.utf(name),
                        new byte[] {0, 0, 0, 1},
                        Says.utf("GZIP"),
                        Says.utf("false"),
                        Says.utf("NONSENSE")),
                Says.all(opening, Says.utf(name)),
                Says.all(
                        Says.openingWithoutPort(),
                        Says.utf("NEGOTIATE_FLOWFILE_CODEC"),
                        Says.utf(name),
                        new byte[Integer.BYTES]),
                Says.all(push, Says.response(ResponseCode.CANCEL_TRANSACTION, name), Says.utf(name)),
                Says.all(
                        push,
                        ResponseCode.FINISH_TRANSACTION.getCodeSequence(),
                        Says.response(ResponseCode.ABORT, name)));
    }

    /** How many places there are for a name. */
    static int placesOfNames() {
        return 10;
    }
}
