// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The server's part of RAW Site-to-Site on loopback. Any thread. Each connection has a thread of its own, a platform thread, since a
 * virtual thread that writes to a socket holds its carrier on Java 21, and the client in the same JVM needs carriers.
 */
final class LoopbackServer implements AutoCloseable {
    private static final int BACKLOG = 512;

    private final Function<String, ServedPort> ports;
    private final ServerSocket socket;
    private final Set<Conversation> conversations = ConcurrentHashMap.newKeySet();
    private final ClientView client;

    LoopbackServer(final Function<String, ServedPort> ports, final ClientView client) throws IOException {
        this.ports = ports;
        this.client = client;
        this.socket = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        start("in-memory-nifi", this::accept);
    }

    private static void start(final String name, final Runnable task) {
        final Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    String host() {
        return socket.getInetAddress().getHostAddress();
    }

    int port() {
        return socket.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                final Socket accepted = socket.accept();
                start("in-memory-nifi-" + accepted.getPort(), () -> serve(accepted));
            }
        } catch (final IOException e) {
            // It is closed.
            conversations.forEach(Conversation::close);
        }
    }

    private void serve(final Socket accepted) {
        try (Conversation peer = new Conversation(accepted)) {
            conversations.add(peer);
            try {
                converse(peer);
            } finally {
                conversations.remove(peer);
            }
        } catch (final IOException | RuntimeException e) {
            // The connection is closed, as NiFi does whatever goes wrong. The client says what it makes of that.
        }
    }

    private void converse(final Conversation peer) throws IOException {
        final ServedPort port = ports.apply(peer.open());
        if (port == null || socket.isClosed()) {
            throw new IOException("There is no such port");
        }
        port.greet(peer);
        peer.serve(port);
    }

    /** Has the next transaction of a port make a connection: waits until the client has lost those that serve none. */
    void closeIdle(final ServedPort port) {
        client.awaitEnds();
        final Set<String> leaving = conversations.stream()
                .filter(peer -> peer.isOf(port))
                .filter(Conversation::leave)
                .map(Conversation::commsId)
                .collect(Collectors.toSet());
        client.awaitClosed(leaving);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (final IOException e) {
            throw new IllegalStateException("A socket of loopback can't be closed", e);
        }
    }
}
