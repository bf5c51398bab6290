// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.io.InputStream;
import java.io.OutputStream;
import org.apache.nifi.remote.io.http.HttpServerCommunicationsSession;

/**
 * The communications session of a peer with which NiFi's port itself exchanges nothing: NiFi's own for a peer without a socket. It
 * knows the peer's identity, and passes on that NiFi interrupts it, which happens when the port is stopped while a request is in
 * service. Any thread.
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
