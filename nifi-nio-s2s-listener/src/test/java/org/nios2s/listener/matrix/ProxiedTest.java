// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.protocol.ProxyHeaders;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** Peers behind a load balancer, plain and over TLS, which begins behind the header. Lives on the test's thread. */
@DisplayName("Behind a load balancer")
@ParameterizedClass
@EnumSource(Variant.class)
@Timeout(120)
class ProxiedTest {
    private static final String AGENT = "192.0.2.7";
    private static final int AGENT_PORT = 4711;
    private static final byte[] HEADER = ProxyHeaders.binary(AGENT, AGENT_PORT);
    private static final String[] TRUST = {"proxy.protocol.from", "127.0.0.0/8", "handshake.timeout", "30 secs"};
    private static final byte TLS_HANDSHAKE_RECORD = 22;

    private final Variant variant;
    private MatrixListener listener;

    ProxiedTest(final Variant variant) {
        this.variant = variant;
    }

    private void serve(final String... settings) throws Exception {
        final String[] all = Arrays.copyOf(TRUST, TRUST.length + settings.length);
        System.arraycopy(settings, 0, all, TRUST.length, settings.length);
        listener = new MatrixListener(variant, all);
    }

    @AfterEach
    void stop() {
        listener.awaitAsBefore();
        listener.close();
    }

    private void push(final TestPeer peer) throws IOException {
        peer.open(MatrixListener.INPUT_PORT, listener.properties());
        assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.push(Map.of(), new byte[10]));
    }

    private void assertFaults(final ConnectionFault.Kind only, final long count) throws Exception {
        MatrixListener.awaiting().until(() -> listener.faults(only) == count);
        for (final ConnectionFault.Kind kind : ConnectionFault.Kind.values()) {
            if (kind != only) {
                assertEquals(0, listener.faults(kind), kind::toString);
            }
        }
    }

    private void assertNoFault() throws Exception {
        assertFaults(ConnectionFault.Kind.PROXY_HEADER, 0);
    }

    @Test
    @DisplayName("pushes have the addresses of the agents")
    void push() throws Exception {
        serve();
        try (TestPeer first = listener.connectBehind(HEADER);
                TestPeer second =
                        listener.connectBehind(ProxyHeaders.line("PROXY TCP6 2001:db8::7 2001:db8::1 4712 443"))) {
            push(first);
            push(second);
        }
        assertEquals(
                "192.0.2.7:4711",
                listener.input().committed().getFirst().getAttributes().get("s2s.address"));
        assertEquals(
                "2001:db8:0:0:0:0:0:7:4712",
                listener.input().committed().getLast().getAttributes().get("s2s.address"));
        assertNoFault();
    }

    @Test
    @DisplayName("what follows the header may arrive with it")
    void together() throws Exception {
        serve();
        try (TestPeer peer = listener.connectPlain()) {
            if (variant.isSecure()) {
                peer.say(HEADER, listener.clientHello());
                assertEquals(TLS_HANDSHAKE_RECORD, peer.read(1)[0]);
            } else {
                peer.say(HEADER, Message.magic(), Message.protocol(Place.Size.VERSION));
                peer.expectResource();
            }
        }
    }

    @Test
    @DisplayName("health checks are no faults")
    void healthChecks() throws Exception {
        serve();
        final byte[] local = ProxyHeaders.binary(ProxyHeaders.LOCAL, ProxyHeaders.UNSPECIFIED);
        for (final byte[] header : new byte[][] {local, ProxyHeaders.line("PROXY UNKNOWN"), {}}) {
            try (TestPeer left = listener.connectPlain()) {
                left.say(header);
            }
            try (TestPeer killed = listener.connectPlain()) {
                killed.say(header);
                killed.reset();
            }
        }
        listener.awaitAsBefore();
        assertNoFault();
    }

    @Test
    @DisplayName("garbage behind the header is refused as without one")
    void garbage() throws Exception {
        serve();
        try (TestPeer peer = listener.connectPlain()) {
            peer.say(HEADER, new byte[100]);
            assertTrue(peer.isEndedWithin(MatrixListener.HANDSHAKE_MILLIS));
        }
        final ConnectionFault.Kind expected =
                variant.isSecure() ? ConnectionFault.Kind.TLS : ConnectionFault.Kind.WRONG_MAGIC;
        assertFaults(expected, 1);
        try (TestPeer peer = listener.connectPlain()) {
            peer.say(HEADER, HEADER);
            assertTrue(peer.isEndedWithin(MatrixListener.HANDSHAKE_MILLIS));
        }
        assertFaults(expected, 2);
    }

    @Test
    @DisplayName("a header is required, and bounded")
    void refused() throws Exception {
        serve();
        final byte[] none = variant.isSecure() ? listener.clientHello() : Message.protocol(Place.Size.VERSION);
        final byte[] addresses = ProxyHeaders.tcp(AGENT, AGENT_PORT);
        final byte[] huge = ProxyHeaders.binary(
                ProxyHeaders.PROXY, ProxyHeaders.TCP_4, addresses, ProxyHeaders.tlv(0xFFFF - addresses.length));
        int faults = 0;
        for (final byte[] bytes : new byte[][] {none, huge, ProxyHeaders.line("PROXY TCP4 a b 1 2")}) {
            try (TestPeer peer = listener.connectPlain()) {
                peer.trySay(bytes);
                assertTrue(peer.isEndedWithin(MatrixListener.HANDSHAKE_MILLIS));
            }
            faults++;
            assertFaults(ConnectionFault.Kind.PROXY_HEADER, faults);
        }
    }

    @Test
    @DisplayName("a peer that ends after half a header has left")
    void half() throws Exception {
        serve();
        try (TestPeer peer = listener.connectPlain()) {
            peer.say(Arrays.copyOf(HEADER, HEADER.length - 1));
            peer.halfClose();
            assertTrue(peer.isEndedWithin(MatrixListener.HANDSHAKE_MILLIS));
        }
        assertFaults(ConnectionFault.Kind.PEER_CLOSED, 1);
    }

    @Test
    @DisplayName("the limit for an address is the agent's")
    void perAddress() throws Exception {
        serve("connections.max.per.address", "1");
        try (TestPeer first = listener.connectBehind(HEADER);
                TestPeer other = listener.connectBehind(ProxyHeaders.binary("192.0.2.8", AGENT_PORT));
                TestPeer second = listener.connectPlain()) {
            push(first);
            push(other);
            second.say(HEADER);
            assertTrue(second.isEndedWithin(MatrixListener.HANDSHAKE_MILLIS));
            assertFaults(ConnectionFault.Kind.TOO_MANY_CONNECTIONS, 1);
        }
    }
}
