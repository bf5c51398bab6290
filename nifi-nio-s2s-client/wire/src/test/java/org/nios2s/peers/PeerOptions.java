// SPDX-License-Identifier: Apache-2.0
package org.nios2s.peers;

import java.net.Socket;
import java.net.SocketException;

/**
 * What all peers of tests set on their sockets. Any thread.
 *
 * <p>As NiFi's client and MiNiFi they leave TCP_NODELAY unset. With {@code -Dpeers.tcp-nodelay=true} they set it.
 */
public final class PeerOptions {
    private static final boolean TCP_NODELAY = Boolean.getBoolean("peers.tcp-nodelay");

    private PeerOptions() {}

    public static void set(final Socket socket) throws SocketException {
        socket.setTcpNoDelay(TCP_NODELAY);
    }
}
