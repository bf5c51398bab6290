// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.io.InputStream;
import java.io.OutputStream;
import org.apache.nifi.remote.io.http.HttpServerCommunicationsSession;

/**
 * The communications session that NiFi's port is given for a peer: without a socket, since the port itself exchanges nothing with
 * the peer. The session knows the peer's identity, and passes an interrupt on, which NiFi makes when it stops a port with active
 * requests. Any thread.
 */
public final class SocketlessCommunicationsSession extends HttpServerCommunicationsSession {
    private final Runnable interrupted;

    /**
     * @param identity distinguished name of the peer, or null
     * @param interrupted must not block: NiFi holds a lock of the port
     */
    public SocketlessCommunicationsSession(final String identity, final Runnable interrupted) {
        super(InputStream.nullInputStream(), OutputStream.nullOutputStream(), "", identity);
        this.interrupted = interrupted;
    }

    @Override
    public void interrupt() {
        interrupted.run();
    }
}
