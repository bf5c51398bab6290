// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.result.ObservedServer;

/**
 * Tells which listener serves a RAW socket by what becomes of a peer that does not speak the protocol: the NIO listener
 * closes its connection, the stock one keeps it. Stateless; asking blocks the caller's thread for at most some seconds.
 */
final class ListenerDetector {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration KEPT = Duration.ofSeconds(2);
    private static final byte[] NO_MAGIC = new byte[Integer.BYTES];

    private ListenerDetector() {}

    /** The listener of a target's first node: {@code stock}, {@code nio} or unknown. */
    static String of(final Target target) {
        final TargetAddress address = target.address();
        try (Socket plain = new Socket()) {
            plain.connect(address.socket(), Math.toIntExact(PATIENCE.toMillis()));
            plain.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
            final Socket socket = target.tls() == null
                    ? plain
                    : target.sslContext().getSocketFactory().createSocket(plain, address.host(), address.port(), true);
            socket.getOutputStream().write(NO_MAGIC);
            plain.setSoTimeout(Math.toIntExact(KEPT.toMillis()));
            return answer(socket);
        } catch (final IOException e) {
            return ObservedServer.UNKNOWN;
        }
    }

    private static String answer(final Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0 ? ObservedServer.NIO : ObservedServer.UNKNOWN;
        } catch (final SocketTimeoutException e) {
            return ObservedServer.STOCK;
        } catch (final SocketException e) {
            // Closed with bytes of ours unread.
            return ObservedServer.NIO;
        }
    }
}
