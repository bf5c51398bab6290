// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.limits.HandshakeLimit;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.tls.ReadKey;

/** What is said of a peer. Lives on the test's thread. */
class PeerConnectionTest {
    private static final int PORT = 4711;
    private static final HostNames NAMELESS =
            new HostNames(false, address -> "unused", Runnable::run, NanoClock.SYSTEM);
    private static final int ANY_INTERFACE = 2;

    private static PeerConnection from(final InetAddress address, final HostNames names) {
        final Channel channel = mock(Channel.class);
        when(channel.remoteAddress()).thenReturn(new InetSocketAddress(address, PORT));
        final ChannelHandlerContext channelContext = mock(ChannelHandlerContext.class);
        when(channelContext.channel()).thenReturn(channel);
        final ListenerContext listener = mock(ListenerContext.class);
        when(listener.endpoint()).thenReturn(new ListenerContext.Endpoint(1, null, names, InstantSource.system()));
        when(listener.clock()).thenReturn(NanoClock.SYSTEM);
        when(listener.limits())
                .thenReturn(new ListenerContext.Limits(null, null, new HandshakeLimit(1, NanoClock.SYSTEM), null));
        when(listener.metrics()).thenReturn(new ListenerMetrics(1, NanoClock.SYSTEM));
        return new PeerConnection(listener, channelContext, null);
    }

    private static HostNames named(final String name) {
        return new HostNames(true, address -> name, Runnable::run, NanoClock.SYSTEM);
    }

    private static String urlOf(final PeerConnection connection) {
        // NiFi's constructor refuses what is no URL.
        return connection.toPeer(() -> {}).getUrl();
    }

    @Test
    @DisplayName("an address of IPv6 is in brackets in the log, and as the stock listener has it in a URL")
    void ipv6() throws Exception {
        final PeerConnection connection = from(InetAddress.getByName("2001:db8::7"), NAMELESS);
        assertEquals("Peer [2001:db8:0:0:0:0:0:7]:4711", connection.toString());
        assertEquals("nifi://2001:db8:0:0:0:0:0:7:4711", urlOf(connection));
    }

    @Test
    @DisplayName("an address that names an interface is in brackets in a URL, too: NiFi would refuse it otherwise")
    void linkLocal() throws Exception {
        final byte[] bytes = InetAddress.getByName("fe80::7").getAddress();
        final PeerConnection connection = from(Inet6Address.getByAddress(null, bytes, ANY_INTERFACE), NAMELESS);
        assertEquals("nifi://[fe80:0:0:0:0:0:0:7%252]:4711", urlOf(connection));
        assertEquals("fe80:0:0:0:0:0:0:7%2", connection.description().getHostname());
    }

    @Test
    @DisplayName("a name with underscores, as containers have it, is a name")
    void underscores() throws Exception {
        final PeerConnection connection = from(InetAddress.getByName("10.0.0.7"), named("nifi_node_1.compose_default"));
        assertEquals("nifi://nifi_node_1.compose_default:4711", urlOf(connection));
        assertEquals("nifi_node_1.compose_default", connection.description().getHostname());
    }

    @ParameterizedTest
    @ValueSource(strings = {"no name", "100%", "a/b", ""})
    @DisplayName("a name that makes no URL, as any resolver may tell one, is left out of it")
    void oddNames(final String name) throws Exception {
        final PeerConnection connection = from(InetAddress.getByName("10.0.0.7"), named(name));
        assertEquals("nifi://10.0.0.7:4711", urlOf(connection));
        assertEquals(name, connection.description().getHostname());
    }

    @Test
    @DisplayName("in the log a peer is its address, and an identity that could forge a line is made fit for it")
    void inTheLog() throws Exception {
        final PeerConnection connection =
                from(InetAddress.getByAddress("any.name.example", new byte[] {10, 0, 0, 7}), NAMELESS);
        final X509Certificate certificate = mock(X509Certificate.class);
        when(certificate.getSubjectX500Principal()).thenReturn(new X500Principal("CN=a\u202eb"));
        final SSLSession session = mock(SSLSession.class);
        when(session.getPeerCertificates()).thenReturn(new Certificate[] {certificate});
        final SSLEngine engine = mock(SSLEngine.class);
        when(engine.getSession()).thenReturn(session);
        connection.identify(engine, ReadKey.unlimited());
        assertEquals("Peer 10.0.0.7:4711 (CN=a\\u202eb)", connection.toString());
    }
}
