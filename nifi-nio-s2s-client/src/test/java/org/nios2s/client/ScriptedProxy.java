// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.nios2s.client.PeerProxy.Kind;

/**
 * A proxy of a few lines on loopback, which leads to one server whatever it is asked for. A virtual thread per direction
 * of a connection.
 */
public final class ScriptedProxy implements AutoCloseable {
    /** How it receives who comes. */
    public enum Manner {
        OPEN,
        ASKS_FOR_PASSWORD,
        REFUSES,
        STALLS
    }

    private static final int SOCKS_5_WITH_PASSWORD = 2;
    private static final int IPV4 = 1;
    private static final int IPV4_BYTES = 4;
    private static final int SOCKS_4_ADDRESS_BYTES = 6;
    private static final int SOCKS_4_GRANTED = 0x5A;
    private static final int SOCKS_4_REJECTED = 0x5B;

    public final Queue<String> destinations = new ConcurrentLinkedQueue<>();
    public final Queue<String> credentials = new ConcurrentLinkedQueue<>();

    private final Kind kind;
    private final Manner manner;
    private final int serverPort;
    private final ServerSocket socket;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);

    public ScriptedProxy(final Kind kind, final Manner manner, final int serverPort) throws IOException {
        this.kind = kind;
        this.manner = manner;
        this.serverPort = serverPort;
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("scripted-proxy").start(this::accept);
    }

    public int port() {
        return socket.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                final Socket client = socket.accept();
                open.add(client);
                Thread.ofVirtual().start(() -> serve(client));
            }
        } catch (final IOException e) {
            closed.countDown();
        }
    }

    private void serve(final Socket client) {
        try (client) {
            final DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
            final DataOutputStream out = new DataOutputStream(client.getOutputStream());
            if (manner == Manner.STALLS) {
                closed.await();
                return;
            }
            switch (kind) {
                case SOCKS4 -> shakeSocks4(in, out);
                case SOCKS5 -> shakeSocks5(in, out);
                case HTTP -> shakeHttp(in, out);
                default -> throw new IllegalStateException("No proxy of kind " + kind);
            }
            if (manner == Manner.REFUSES) {
                return;
            }
            // The JVM of a test may say that sockets go through this very proxy.
            try (Socket server = new Socket(Proxy.NO_PROXY)) {
                server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort));
                open.add(server);
                final Thread back = Thread.ofVirtual().start(() -> copy(server, client));
                in.transferTo(server.getOutputStream());
                server.shutdownOutput();
                back.join();
            }
        } catch (final IOException | InterruptedException e) {
            // The connection is closed: that is what a proxy does with whatever goes wrong.
        } finally {
            open.remove(client);
        }
    }

    private static void copy(final Socket from, final Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (final IOException e) {
            // One of both has gone, and the other direction sees it too.
        }
    }

    private void shakeSocks4(final DataInputStream in, final DataOutputStream out) throws IOException {
        in.readUnsignedShort();
        final int port = in.readUnsignedShort();
        final byte[] address = in.readNBytes(IPV4_BYTES);
        final String user = readZeroTerminated(in);
        credentials.add(user);
        final boolean named = address[0] == 0 && address[1] == 0 && address[2] == 0;
        final String host = named
                ? readZeroTerminated(in)
                : InetAddress.getByAddress(address).getHostAddress();
        destinations.add(host + ":" + port);
        out.write(new byte[] {0, (byte) (manner == Manner.REFUSES ? SOCKS_4_REJECTED : SOCKS_4_GRANTED)});
        out.write(new byte[SOCKS_4_ADDRESS_BYTES]);
    }

    private static String readZeroTerminated(final DataInputStream in) throws IOException {
        final StringBuilder text = new StringBuilder();
        for (int next = in.readUnsignedByte(); next != 0; next = in.readUnsignedByte()) {
            text.append((char) next);
        }
        return text.toString();
    }

    private void shakeSocks5(final DataInputStream in, final DataOutputStream out) throws IOException {
        in.readByte();
        in.readNBytes(in.readUnsignedByte());
        if (manner == Manner.ASKS_FOR_PASSWORD) {
            out.write(new byte[] {5, SOCKS_5_WITH_PASSWORD});
            in.readByte();
            credentials.add(readCounted(in) + ":" + readCounted(in));
            out.write(new byte[] {1, 0});
        } else {
            out.write(new byte[] {5, 0});
        }
        in.readNBytes(3);
        final String host = in.readUnsignedByte() == IPV4
                ? InetAddress.getByAddress(in.readNBytes(IPV4_BYTES)).getHostAddress()
                : readCounted(in);
        destinations.add(host + ":" + in.readUnsignedShort());
        out.write(new byte[] {5, (byte) (manner == Manner.REFUSES ? 2 : 0), 0, IPV4, 0, 0, 0, 0, 0, 0});
    }

    private static String readCounted(final DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readUnsignedByte()), StandardCharsets.US_ASCII);
    }

    private void shakeHttp(final DataInputStream in, final DataOutputStream out) throws IOException {
        destinations.add(readLine(in).split(" ")[1]);
        for (String header = readLine(in); !header.isEmpty(); header = readLine(in)) {
            if (header.toLowerCase().startsWith("proxy-authorization:")) {
                credentials.add(header.substring(header.indexOf(':') + 1).strip());
            }
        }
        if (manner == Manner.ASKS_FOR_PASSWORD && credentials.isEmpty()) {
            out.write("HTTP/1.1 407 Who?\r\nProxy-Authenticate: Basic realm=\"gate\"\r\nContent-Length: 0\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
            throw new EOFException("nobody gets through without a name");
        }
        final String answer = manner == Manner.REFUSES ? "403 Forbidden" : "200 OK";
        out.write(("HTTP/1.1 " + answer + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static String readLine(final DataInputStream in) throws IOException {
        final StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("A request ends in its middle");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
        closed.countDown();
        for (final Socket connection : open) {
            connection.close();
        }
    }
}
