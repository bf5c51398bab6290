// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.metrics.ListenerMetrics;

/** What is said of a peer. Lives on the test's thread. */
class PeerConnectionTest {
    @Test
    @DisplayName("in the log a peer is its address, and an identity that could forge a line is made fit for it")
    void inTheLog() throws Exception {
        final InetAddress address = InetAddress.getByAddress("any.name.example", new byte[] {10, 0, 0, 7});
        final Channel channel = mock(Channel.class);
        when(channel.remoteAddress()).thenReturn(new InetSocketAddress(address, 4711));
        final ChannelHandlerContext channelContext = mock(ChannelHandlerContext.class);
        when(channelContext.channel()).thenReturn(channel);
        final ListenerContext listener = mock(ListenerContext.class);
        when(listener.hostNames()).thenReturn(new HostNames(false, name -> "unused", Runnable::run));
        final X509Certificate certificate = mock(X509Certificate.class);
        when(certificate.getSubjectX500Principal()).thenReturn(new X500Principal("CN=a\u202eb"));
        final SSLSession session = mock(SSLSession.class);
        when(session.getPeerCertificates()).thenReturn(new Certificate[] {certificate});
        final SSLEngine engine = mock(SSLEngine.class);
        when(engine.getSession()).thenReturn(session);
        when(listener.metrics()).thenReturn(new ListenerMetrics(1));
        final PeerConnection connection = new PeerConnection(listener, channelContext, null);
        connection.identify(engine);
        assertEquals("Peer 10.0.0.7:4711 (CN=a\\u202eb)", connection.toString());
    }
}
