// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.IOException;
import java.io.InputStream;
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
import org.nios2s.peers.OneGoSocket;
import org.nios2s.peers.PeerOptions;
import org.nios2s.peers.TestPeer;

/**
 * One end of a RAW Site-to-Site connection, spoken byte by byte, so that a test can also say what no client would.
 * For one thread; every read has a deadline.
 */
public class RawPeer extends TestPeer {

    /** What TLS writes to, or null where there is none. */
    private final OneGoSocket plain;

    RawPeer(final NifiNodeInfo nifi) throws IOException {
        this(connect(nifi));
    }

    /** Connects to a NiFi as its flow's client: over TLS if it is secured. The peer reads nothing ahead. */
    static RawPeer of(final NifiNode nifi) throws IOException {
        final OneGoSocket plain = connect(nifi.info());
        if (nifi.info().security() == null) {
            return new RawPeer(plain, null, plain.getInputStream());
        }
        final SSLContext context = nifi.security().context(nifi.security().keyStore(Identity.CLIENT));
        final Socket secured = plain.secured(context);
        return new RawPeer(secured, plain, secured.getInputStream());
    }

    /** Speaks over a connection that is there. */
    public RawPeer(final Socket socket) throws IOException {
        super(socket);
        this.plain = null;
    }

    private RawPeer(final Socket socket, final OneGoSocket plain, final InputStream input) throws IOException {
        super(socket, input);
        this.plain = plain;
    }

    private static OneGoSocket connect(final NifiNodeInfo nifi) throws IOException {
        return OneGoSocket.connect(new InetSocketAddress(nifi.s2sHost(), nifi.s2sPort()));
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
            peer.openForTransactions(portId);
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

    void magic() throws IOException {
        say(Message.magic());
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

    void packet(final Map<String, String> attributes, final byte[] content) throws IOException {
        say(Message.packet(attributes, content));
    }

    /** What is said last and that nothing follows arrive as one, over TLS. */
    void holdBack() {
        if (plain != null) {
            plain.holdBack();
        }
    }

    /** Reads on until the other end has closed the connection; false when it does not within its time. */
    boolean isClosedByOtherEnd() throws IOException {
        return isEndedWithin(PeerOptions.PATIENCE_MILLIS);
    }
}
