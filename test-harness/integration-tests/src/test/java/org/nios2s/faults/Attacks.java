// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.peers.Message;

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

    private static Iterator<byte[]> once(final byte[] piece) {
        return List.of(piece).iterator();
    }

    /** One piece, then another without end. */
    static Iterator<byte[]> thenForever(final byte[] first, final byte[] again) {
        return Stream.concat(Stream.of(first), Stream.generate(() -> again)).iterator();
    }

    private static byte[] openingWithoutPort() {
        return Message.all(Message.magic(), Message.protocol(Message.NEWEST_VERSION), Message.handshake((String) null));
    }

    /** Proposals of a version that is not known, without end; no answer is read. */
    Attack endlessProtocols() {
        final byte[] again = Message.protocol(UNKNOWN_VERSION);
        final byte[] many = Message.times(PLENTY / again.length, again);
        return new Attack("proposals without end", 50, AT_ONCE, false, peer -> thenForever(Message.magic(), many));
    }

    /** Requests for the peer list, without end; no answer is read. */
    Attack endlessPeerLists() {
        final byte[] many = Message.times(PLENTY / 20, Message.utf("REQUEST_PEER_LIST"));
        return new Attack(
                "peer lists without end", 50, AT_ONCE, false, peer -> thenForever(openingWithoutPort(), many));
    }

    /** Negotiations of the codec, without end; no answer is read. */
    Attack endlessCodecs() {
        final byte[] many = Message.times(PLENTY / Message.negotiateCodec().length, Message.negotiateCodec());
        return new Attack(
                "codecs without end", 50, AT_ONCE, false, peer -> thenForever(Message.opening(inputPort), many));
    }

    /** As many attributes as may be, each so short that its map entry costs many times its bytes; then a byte a second. */
    Attack manyAttributes() {
        final byte[] attributes = Message.of(out -> {
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
        final byte[] beginning = Message.all(Message.opening(inputPort), Message.utf("SEND_FLOWFILES"), attributes);
        return new Attack("many attributes", 400, SECOND, false, peer -> thenForever(beginning, ONE_BYTE));
    }

    /** Pushes of 100 MiB that stall after 3 MiB. */
    Attack stalledPushes() {
        final byte[] beginning = Message.all(
                Message.opening(inputPort),
                Message.utf("SEND_FLOWFILES"),
                Message.packetHeader(Map.of("name", "value"), LARGE_CONTENT));
        final byte[] content = new byte[BEFORE_STALL];
        return new Attack("pushes that stall", 200, AT_ONCE, false, peer -> List.of(beginning, content)
                .iterator());
    }

    /** Peers that pull and read nothing of it. */
    Attack pullersThatDoNotRead() {
        final byte[] pull =
                Message.all(Message.opening(outputPort, "BATCH_COUNT", "1"), Message.utf("RECEIVE_FLOWFILES"));
        return new Attack("pullers that do not read", 1_500, AT_ONCE, false, peer -> once(pull));
    }

    /** Connections that say half of the magic and no more. */
    Attack halfOpenHandshakes() {
        return new Attack("half-open handshakes", 20_000, AT_ONCE, false, peer -> once(new byte[] {'N', 'i'}));
    }

    /** Handshakes of more properties than anyone can mean, each as long as can be. */
    Attack endlessHandshake() {
        final byte[] beginning = Message.all(
                Message.magic(),
                Message.protocol(Message.NEWEST_VERSION),
                Message.utf("id"),
                Message.utf("uri"),
                new byte[] {Byte.MAX_VALUE, 0, 0, 0});
        final byte[] longest = Message.longestString();
        return new Attack("handshakes without end", 200, AT_ONCE, false, peer -> thenForever(beginning, longest));
    }

    /** Chunks that inflate to a thousand times their size, in a packet of a TiB. */
    Attack inflationBombs() {
        final byte[] header = Message.packetHeader(Map.of(), BOMB_CONTENT);
        final byte[] beginning = Message.all(
                Message.opening(inputPort, "GZIP", "true"),
                Message.utf("SEND_FLOWFILES"),
                Message.chunk(header, false));
        final byte[] bomb = Message.chunk(new byte[BOMB_BYTES], false);
        return new Attack("inflation bombs", 20, SECOND, false, peer -> thenForever(beginning, bomb));
    }

    /** Pushes of which a byte arrives each minute. */
    Attack byteAMinute() {
        final byte[] beginning = Message.all(
                Message.opening(inputPort),
                Message.utf("SEND_FLOWFILES"),
                Message.packetHeader(Map.of("name", "value"), LARGE_CONTENT));
        return new Attack("a byte a minute", 1_000, MINUTE, false, peer -> thenForever(beginning, ONE_BYTE));
    }

    /** Connections that are opened and left alone. */
    Attack idle() {
        return new Attack(
                "one address opens everything", 5_000, AT_ONCE, true, peer -> once(Message.opening(inputPort)));
    }

    /** Names as long as can be wherever the listener logs one, each by a connection of its own. */
    Attack longNames() {
        return names("long names", 2_000, "x".repeat(Message.LONGEST_STRING));
    }

    /** Peers that put a name into each of the places from which it may get into the log. */
    Attack names(final String attack, final int peers, final String name) {
        final List<byte[]> places = places(name);
        return new Attack(attack, peers, AT_ONCE, true, peer -> once(places.get(peer % places.size())));
    }

    private List<byte[]> places(final String name) {
        final byte[] opening = Message.opening(inputPort);
        final byte[] push = Message.all(
                opening, Message.utf("SEND_FLOWFILES"), Message.packetHeader(Map.of("name", name), 1), ONE_BYTE);
        return List.of(
                Message.all(Message.magic(), Message.utf(name), new byte[Integer.BYTES]),
                Message.all(
                        Message.magic(),
                        Message.protocol(Message.NEWEST_VERSION),
                        Message.handshake(Map.of(name, "value"))),
                Message.all(Message.magic(), Message.protocol(Message.NEWEST_VERSION), Message.handshake(name)),
                Message.all(
                        Message.magic(),
                        Message.protocol(Message.NEWEST_VERSION),
                        Message.handshake(Map.of("GZIP", "true", "BATCH_COUNT", name))),
                Message.all(
                        Message.magic(),
                        Message.protocol(Message.NEWEST_VERSION),
                        Message.utf(name),
                        Message.utf(name),
                        new byte[] {0, 0, 0, 1},
                        Message.utf("GZIP"),
                        Message.utf("false")),
                Message.all(
                        Message.magic(),
                        Message.protocol(Message.NEWEST_VERSION),
                        Message.utf(name),
                        Message.utf(name),
                        new byte[] {0, 0, 0, 1},
                        Message.utf("GZIP"),
                        Message.utf("false"),
                        Message.utf("NONSENSE")),
                Message.all(opening, Message.utf(name)),
                Message.all(
                        openingWithoutPort(),
                        Message.utf("NEGOTIATE_FLOWFILE_CODEC"),
                        Message.utf(name),
                        new byte[Integer.BYTES]),
                Message.all(push, Message.response(ResponseCode.CANCEL_TRANSACTION, name), Message.utf(name)),
                Message.all(
                        push,
                        Message.response(ResponseCode.FINISH_TRANSACTION),
                        Message.response(ResponseCode.ABORT, name)));
    }

    /** How many places there are for a name. */
    static int placesOfNames() {
        return 10;
    }
}
