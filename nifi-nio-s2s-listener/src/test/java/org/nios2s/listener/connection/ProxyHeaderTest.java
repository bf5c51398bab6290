// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import ch.qos.logback.classic.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.listener.NioRemoteSiteListener;
import org.nios2s.listener.access.AccessLines;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.protocol.ProxyHeaders;
import org.nios2s.peers.LogLines;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** A load balancer says for whom it connects, or should. Lives on the test's thread. */
@DisplayName("Behind a load balancer")
@Timeout(60)
class ProxyHeaderTest extends OnePeer {
    private static final String AGENT = "192.0.2.7";
    private static final int AGENT_PORT = 4711;
    private static final String OWN = "127.0.0.1";
    private static final byte[] HEADER = ProxyHeaders.binary(AGENT, AGENT_PORT);

    /** The rule is for the agent, by its name, which is its address here. */
    private static final String[] SETTINGS = {
        "proxy.protocol.from", OWN,
        "nifi.remote.route.raw.agent.when", "${s2s.source.hostname:equals('" + AGENT + "')}",
        "nifi.remote.route.raw.agent.hostname", "balancer.example",
        "nifi.remote.route.raw.agent.port", "443",
        "nifi.remote.route.raw.agent.secure", "false"
    };

    /** Other tests report faults without end: as a rule nobody reads of them. */
    @AutoClose
    private final LogLines log = new LogLines(NioRemoteSiteListener.class, Level.WARN);

    @Override
    SteppedListener serve() throws Exception {
        return new SteppedListener(address -> address.getHostAddress(), SETTINGS);
    }

    private void assertPushFrom(final String host, final int port) throws Exception {
        peer.open(INPUT_PORT).pushPacket("abc").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        final Map<String, String> attributes =
                listener.input().committed().getFirst().getAttributes();
        assertEquals(host, attributes.get("s2s.host"));
        assertEquals(host + ":" + port, attributes.get("s2s.address"));
        listener.assertNoFault();
    }

    private void assertOneLine(final String who, final String why) {
        final List<String> lines = log.lines(Level.WARN);
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(
                lines.getFirst().startsWith("Peer " + who) && lines.getFirst().contains(why), lines::toString);
    }

    private static Stream<Arguments> complete() {
        return Stream.of(
                Arguments.of(ProxyHeaders.line("PROXY TCP4 192.0.2.7 10.0.0.1 4711 443"), AGENT, AGENT_PORT),
                Arguments.of(
                        ProxyHeaders.line("PROXY TCP6 2001:db8::7 2001:db8::1 4711 443"),
                        "2001:db8:0:0:0:0:0:7",
                        AGENT_PORT),
                Arguments.of(HEADER, AGENT, AGENT_PORT),
                Arguments.of(ProxyHeaders.binary("2001:db8::7", 65_535), "2001:db8:0:0:0:0:0:7", 65_535),
                Arguments.of(
                        ProxyHeaders.binary(
                                ProxyHeaders.PROXY,
                                ProxyHeaders.TCP_4,
                                ProxyHeaders.tcp(AGENT, AGENT_PORT),
                                ProxyHeaders.tlv(100),
                                ProxyHeaders.tlv(3_900)),
                        AGENT,
                        AGENT_PORT));
    }

    @ParameterizedTest
    @MethodSource("complete")
    @DisplayName("a push has the address of the agent")
    void push(final byte[] header, final String host, final int port) throws Exception {
        peer.say(header);
        assertPushFrom(host, port);
        final List<String> receipt = listener.input().receipts().getFirst();
        assertTrue(receipt.getLast().startsWith("Remote Host=" + host + ","), receipt::toString);
    }

    @ParameterizedTest
    @MethodSource("complete")
    @DisplayName("a header that arrives byte by byte is the same")
    void split(final byte[] header, final String host, final int port) throws Exception {
        listener.splitByteByByte();
        peer.say(header);
        assertPushFrom(host, port);
    }

    private static Stream<byte[]> nobody() {
        return Stream.of(
                ProxyHeaders.line("PROXY UNKNOWN"),
                ProxyHeaders.line("PROXY UNKNOWN ffff::1 ffff::2 65535 65535"),
                ProxyHeaders.binary(ProxyHeaders.LOCAL, ProxyHeaders.UNSPECIFIED),
                ProxyHeaders.binary(ProxyHeaders.LOCAL, ProxyHeaders.TCP_4, ProxyHeaders.tcp(AGENT, AGENT_PORT)),
                ProxyHeaders.binary(ProxyHeaders.PROXY, ProxyHeaders.UNSPECIFIED));
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("a header that names nobody leaves the connection its own address")
    void nobody(final byte[] header) throws Exception {
        peer.say(header);
        assertPushFrom(OWN, peer.localPort());
    }

    @ParameterizedTest
    @MethodSource("nobody")
    @DisplayName("a health check, which says nothing but a header, is no fault")
    void healthCheck(final byte[] header) throws Exception {
        peer.say(header).flush();
        listener.awaitStep("MagicStep");
        peer.halfClose().expectEnd();
        peer.close();
        listener.awaitNoConnections();
        listener.assertNoFault();
    }

    @Test
    @DisplayName("rules of routing test the agent")
    void routes() throws Exception {
        peer.say(HEADER).shakeHands((String) null);
        peer.request("REQUEST_PEER_LIST");
        assertEquals(1, peer.in().readInt());
        assertEquals("balancer.example", peer.in().readUTF());
        assertEquals(443, peer.in().readInt());
    }

    @Test
    @DisplayName("the logs of access tell of the agent")
    void access() throws Exception {
        try (AccessLines connections = new AccessLines("Connections", Level.DEBUG);
                AccessLines transactions = new AccessLines("Transactions", Level.DEBUG)) {
            peer.say(HEADER).open(INPUT_PORT);
            peer.pushPacket("abc").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            assertTrue(connections.lines().getFirst().startsWith("Peer " + AGENT + ": connected"));
            SteppedListener.awaiting().until(() -> transactions.lines().size() == 1);
            assertTrue(transactions.lines().getFirst().startsWith("Peer " + AGENT + ": committed"));
        }
    }

    @Test
    @DisplayName("the line of a fault names the agent, with its own port")
    void fault() throws Exception {
        peer.say(HEADER).say(new byte[8]).expectEnd();
        listener.awaitFault(ConnectionFault.Kind.WRONG_MAGIC);
        assertOneLine(AGENT + ":" + AGENT_PORT + ": ", "its first bytes are not 'NiFi'");
    }

    private static Named<byte[]> named(final String name, final byte[] bytes) {
        return Named.of(name, bytes);
    }

    private static Stream<Named<byte[]>> malformed() {
        return Stream.of(
                named("line without addresses", ProxyHeaders.line("PROXY TCP4")),
                named("line of an unknown protocol", ProxyHeaders.line("PROXY SCTP 192.0.2.7 10.0.0.1 1 2")),
                named("line without a family", ProxyHeaders.line("PROXY        ")),
                named("line with a name", ProxyHeaders.line("PROXY TCP4 agent.example 10.0.0.1 1 2")),
                named("line with an address of the other family", ProxyHeaders.line("PROXY TCP4 ::1 ::1 1 2")),
                named("line with a port beyond", ProxyHeaders.line("PROXY TCP4 192.0.2.7 10.0.0.1 65536 2")),
                named("line with a negative port", ProxyHeaders.line("PROXY TCP4 192.0.2.7 10.0.0.1 -1 2")),
                named("line with a port that is none", ProxyHeaders.line("PROXY TCP4 192.0.2.7 10.0.0.1 x 2")),
                named("line with port 0", ProxyHeaders.line("PROXY TCP4 192.0.2.7 10.0.0.1 0 443")),
                named("port 0", ProxyHeaders.binary(AGENT, 0)),
                named("line with too few ports", ProxyHeaders.line("PROXY TCP4 192.0.2.7 10.0.0.1 1")),
                named("line that ends in LF", "PROXY UNKNOWN\n".getBytes(StandardCharsets.US_ASCII)),
                named("line in small letters", ProxyHeaders.line("PROXY tcp4 192.0.2.7 10.0.0.1 1 2")),
                named("line that forges another", ProxyHeaders.line("PROXY TCP4 192.0.2.7\u001b[2J 10.0.0.1 1 2")),
                named("another version", ProxyHeaders.binary(0x11, ProxyHeaders.TCP_4, new byte[12])),
                named("another command", ProxyHeaders.binary(0x22, ProxyHeaders.TCP_4, new byte[12])),
                named("another family", ProxyHeaders.binary(ProxyHeaders.PROXY, 0x41, new byte[12])),
                named("another transport", ProxyHeaders.binary(ProxyHeaders.PROXY, 0x13, new byte[12])),
                named(
                        "too short for addresses",
                        ProxyHeaders.binary(ProxyHeaders.PROXY, ProxyHeaders.TCP_4, new byte[11])),
                named("too short for IPv6", ProxyHeaders.binary(ProxyHeaders.PROXY, ProxyHeaders.TCP_6, new byte[12])),
                named("no addresses", ProxyHeaders.binary(ProxyHeaders.PROXY, ProxyHeaders.TCP_4)),
                named(
                        "datagrams",
                        ProxyHeaders.binary(
                                ProxyHeaders.PROXY, ProxyHeaders.UDP_4, ProxyHeaders.tcp(AGENT, AGENT_PORT))),
                named(
                        "a UNIX socket",
                        ProxyHeaders.binary(
                                ProxyHeaders.PROXY,
                                ProxyHeaders.UNIX_STREAM,
                                Arrays.copyOf(new byte[] {'/', 'a'}, ProxyHeaders.UNIX_ADDRESSES_BYTES))),
                named(
                        "an element longer than the header",
                        ProxyHeaders.binary(
                                ProxyHeaders.PROXY,
                                ProxyHeaders.TCP_4,
                                ProxyHeaders.tcp(AGENT, AGENT_PORT),
                                ProxyHeaders.tlv(10),
                                ProxyHeaders.tlv(0x04, 500, new byte[1]))),
                named(
                        "an element about TLS that is too short",
                        ProxyHeaders.binary(
                                ProxyHeaders.PROXY,
                                ProxyHeaders.TCP_4,
                                ProxyHeaders.tcp(AGENT, AGENT_PORT),
                                ProxyHeaders.tlv(0x20, 2, new byte[2]))));
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("a header that makes no sense is refused in one line that names the load balancer")
    void malformed(final byte[] header) throws Exception {
        peer.say(header).expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PROXY_HEADER);
        assertOneLine(OWN + ":" + peer.localPort() + ": The PROXY header ", "(PROXY_HEADER");
    }

    private static Stream<byte[]> none() {
        return Stream.of(
                Message.all(Message.magic(), Message.protocol(Message.NEWEST_VERSION)),
                "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                new byte[] {0x16, 3, 1, 2, 0, 1, 0, 1, 0xF, 3, 3, 0},
                new byte[12]);
    }

    @ParameterizedTest
    @MethodSource("none")
    @DisplayName("a connection from a trusted address without a header is refused in one line")
    void required(final byte[] first) throws Exception {
        peer.say(first).expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PROXY_HEADER);
        assertOneLine(OWN, "There is no PROXY header");
    }

    @Test
    @DisplayName("a header of 64 KiB is refused before it is there")
    void huge() throws Exception {
        final int most = 0xFFFF;
        peer.say(ProxyHeaders.binary(ProxyHeaders.PROXY, ProxyHeaders.TCP_4, most, new byte[0]))
                .expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PROXY_HEADER);
        assertOneLine(OWN, "The PROXY header has more than 4096 bytes");
    }

    @Test
    @DisplayName("a line of more than 107 bytes is refused, whether it ends or not")
    void longLine() throws Exception {
        final String longest = "PROXY UNKNOWN " + "x".repeat(91);
        peer.say(ProxyHeaders.line(longest)).flush();
        listener.awaitStep("MagicStep");
        try (TestPeer longer = listener.connect()) {
            longer.say(ProxyHeaders.line(longest + "x")).expectEnd();
            listener.awaitFault(ConnectionFault.Kind.PROXY_HEADER);
        }
        try (TestPeer endless = listener.connect()) {
            endless.say("PROXY ".repeat(18).getBytes(StandardCharsets.US_ASCII)).expectEnd();
        }
        assertOneLine(OWN, "The PROXY header has more than 107 bytes");
    }

    private static Stream<byte[]> half() {
        return Stream.of(
                new byte[] {'P'},
                "PROXY TCP4 192.0.2.7".getBytes(StandardCharsets.US_ASCII),
                Arrays.copyOf(HEADER, 13),
                Arrays.copyOf(HEADER, HEADER.length - 1));
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("half a header and then silence ends with the time for a handshake")
    void half(final byte[] half) throws Exception {
        peer.say(half).flush();
        listener.awaitStep("ProxyHeaderStep");
        listener.checkDeadlinesAfter(Duration.ofSeconds(29));
        listener.assertNoFault();
        listener.checkDeadlinesAfter(Duration.ofSeconds(31));
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.HANDSHAKE_TIMEOUT);
    }

    @ParameterizedTest
    @MethodSource("half")
    @DisplayName("half a header and then the end is a peer that has left")
    void halfAndLeft(final byte[] half) throws Exception {
        peer.say(half).halfClose().expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PEER_CLOSED);
        assertOneLine(OWN, "The peer closed the connection in step ProxyHeaderStep");
    }

    @Test
    @DisplayName("a header from an address that is not trusted is no magic")
    void notTrusted() throws Exception {
        try (TestPeer other = listener.connectFrom("127.0.0.2")) {
            other.say(HEADER).expectEnd();
            listener.awaitFault(ConnectionFault.Kind.WRONG_MAGIC);
            assertOneLine("127.0.0.2", "its first bytes are not 'NiFi'");
        }
    }

    @Test
    @DisplayName("peers that come without a load balancer need no header")
    void direct() throws Exception {
        peer.close();
        peer = listener.connectFrom("127.0.0.2");
        assertPushFrom("127.0.0.2", peer.localPort());
    }
}
