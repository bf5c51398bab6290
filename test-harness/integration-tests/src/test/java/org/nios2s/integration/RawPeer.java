// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.protocol.RequestType;
import org.apache.nifi.remote.protocol.Response;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiNodeInfo;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.peers.Message;
import org.nios2s.peers.PeerOptions;
import org.nios2s.peers.TestPeer;

/**
 * One end of a RAW Site-to-Site connection, spoken byte by byte, so that a test can also say what no client would.
 * For one thread; every read has a deadline.
 */
public class RawPeer extends TestPeer {

    RawPeer(final NifiNodeInfo nifi) throws IOException {
        this(nifi, null);
    }

    private RawPeer(final NifiNodeInfo nifi, final SSLContext tls) throws IOException {
        super(new InetSocketAddress(nifi.s2sHost(), nifi.s2sPort()), tls);
    }

    /** Speaks over a connection that is there. */
    public RawPeer(final Socket socket) throws IOException {
        super(socket);
    }

    /** Connects to a NiFi as its flow's client: over TLS if it is secured. */
    static RawPeer of(final NifiNode nifi) throws IOException {
        if (nifi.info().security() == null) {
            return new RawPeer(nifi.info());
        }
        return new RawPeer(nifi.info(), nifi.security().context(nifi.security().keyStore(Identity.CLIENT)));
    }

    /** A peer that has come as far as to say what it wants of an input port. */
    public static RawPeer atPort(final NifiNode nifi, final String portId) throws IOException {
        return atPort(of(nifi), portId);
    }

    /** A peer without TLS that has come as far as to say what it wants of an input port. */
    static RawPeer atPort(final NifiNodeInfo nifi, final String portId) throws IOException {
        return atPort(new RawPeer(nifi), portId);
    }

    /** A peer on a connection that is there, which has come as far as to say what it wants of an input port. */
    public static RawPeer atPort(final Socket socket, final String portId) throws IOException {
        return atPort(new RawPeer(socket), portId);
    }

    private static RawPeer atPort(final RawPeer peer, final String portId) throws IOException {
        try {
            peer.open(portId);
            return peer;
        } catch (final IOException e) {
            peer.close();
            throw e;
        }
    }

    /** Sends the magic and agrees on a version of the protocol. */
    public void negotiate(final int version) throws IOException {
        say(Message.magic(), Message.protocol(version));
        expectResource();
    }

    public Response handshake(final int version, final Map<String, String> properties) throws IOException {
        return handshake(version, Message.COMMUNICATIONS_ID, properties);
    }

    /** Sends a handshake; returns its answer. */
    public Response handshake(final int version, final String communicationsId, final Map<String, String> properties)
            throws IOException {
        say(Message.handshake(version, communicationsId, properties));
        return response();
    }

    public void request(final RequestType type) throws IOException {
        say(Message.utf(type.name()));
    }

    /** Reads on until the other end has closed the connection; false when it does not within its time. */
    boolean isClosedByOtherEnd() throws IOException {
        return isEndedWithin(PeerOptions.PATIENCE_MILLIS);
    }
}
