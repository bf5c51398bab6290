// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiNodeInfo;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.peers.PeerOptions;
import org.nios2s.peers.TestPeer;

/** Connects scripted peers to the RAW port of a NiFi. Stateless; any thread. */
public final class Peers {
    /**
     * The address of peers that leave during their handshake, are refused or renew keys without end. From then on the JDK's TLS may
     * serve that address in place of BoringSSL. Other tests' peers have another address, so BoringSSL keeps serving them.
     */
    public static final String SUSPECT_ADDRESS = "127.0.0.7";

    private Peers() {}

    public static InetSocketAddress address(final NifiNode nifi) {
        return new InetSocketAddress(nifi.info().s2sHost(), nifi.info().s2sPort());
    }

    /** Connects as the client of the flow: over TLS if the NiFi is secured. */
    public static TestPeer connect(final NifiNode nifi) throws IOException {
        final SSLContext tls = nifi.info().security() == null
                ? null
                : nifi.security().context(nifi.security().keyStore(Identity.CLIENT));
        return new TestPeer(address(nifi), tls);
    }

    /** Connects in a version of TLS. */
    public static TestPeer connect(final SSLContext context, final NifiNodeInfo nifi, final String tlsVersion)
            throws IOException {
        return connect(context, nifi, tlsVersion, null);
    }

    /** The same from {@link #SUSPECT_ADDRESS}. */
    public static TestPeer connectFromSuspectAddress(
            final SSLContext context, final NifiNodeInfo nifi, final String tlsVersion) throws IOException {
        return connect(context, nifi, tlsVersion, InetAddress.getByName(SUSPECT_ADDRESS));
    }

    /** Connects from an address of this machine, or any for null. */
    private static TestPeer connect(
            final SSLContext context, final NifiNodeInfo nifi, final String tlsVersion, final InetAddress from)
            throws IOException {
        final SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(nifi.s2sHost(), nifi.s2sPort(), from, 0);
        try {
            PeerOptions.set(socket);
            socket.setEnabledProtocols(new String[] {tlsVersion});
            socket.startHandshake();
            return new TestPeer(socket);
        } catch (final IOException e) {
            socket.close();
            throw e;
        }
    }

    /** A peer that has come as far as to say what it wants of a port. */
    public static TestPeer atPort(final NifiNode nifi, final String portId) throws IOException {
        return atPort(connect(nifi), portId);
    }

    /** A peer that is connected, and has come as far as to say what it wants of a port. */
    public static TestPeer atPort(final TestPeer peer, final String portId) throws IOException {
        try {
            return peer.open(portId);
        } catch (final IOException e) {
            peer.close();
            throw e;
        }
    }
}
