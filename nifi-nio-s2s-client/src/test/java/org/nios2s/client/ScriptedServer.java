// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.io.CompressionInputStream;
import org.apache.nifi.remote.io.CompressionOutputStream;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.HandshakeProperty;
import org.apache.nifi.remote.protocol.Response;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.remote.util.StandardDataPacket;
import org.nios2s.client.internal.connection.Endpoint;

/**
 * Speaks the server's part of RAW Site-to-Site on loopback, with NiFi's own codec, and departs from it where a script
 * says so. A thread per connection: a virtual one that writes would hold its carrier on Java 21, for what it writes to is
 * synchronized, and the client in the same JVM would stand still.
 */
public final class ScriptedServer implements AutoCloseable {
    /** Where a script may depart: when the server is about to answer. */
    public enum Moment {
        ACCEPTED,
        PROTOCOL,
        HANDSHAKE,
        CODEC,
        FIRST_PACKET,
        CONFIRM,
        FINISHED
    }

    /** What happens at a moment; returns whether the server's own words are to be left out. */
    public interface Action {
        boolean happen(Wire wire) throws Exception;
    }

    /**
     * A packet that was received or is to be pulled.
     *
     * @param attributes names and values
     * @param content all of it
     */
    public record Received(Map<String, String> attributes, byte[] content) {}

    private static final String TRANSACTION_URI_END = "/";
    private static final int RESOURCE_OK = 20;
    private static final int MAGIC_BYTES = 4;

    /** What was pushed, committed or not. */
    public final Queue<Received> arrived = new ConcurrentLinkedQueue<>();

    public final Queue<Received> committed = new ConcurrentLinkedQueue<>();
    public final Queue<Received> offered = new ConcurrentLinkedQueue<>();
    /** What was pulled, and is the client's since. */
    public final Queue<Received> forgotten = new ConcurrentLinkedQueue<>();

    public final List<Map<HandshakeProperty, String>> handshakes = new CopyOnWriteArrayList<>();
    /** By which names the clients' handshakes call their connections. */
    public final List<String> commsIds = new CopyOnWriteArrayList<>();

    public final List<String> transitUris = new CopyOnWriteArrayList<>();
    public final List<Response> cancellations = new CopyOnWriteArrayList<>();
    public final AtomicInteger accepted = new AtomicInteger();
    public final AtomicInteger shutDowns = new AtomicInteger();
    public final AtomicInteger finishedPulls = new AtomicInteger();
    public final AtomicInteger highestVersion = new AtomicInteger(6);
    public final AtomicInteger badChecksums = new AtomicInteger();
    public final Map<String, int[]> peers = new ConcurrentSkipListMap<>();
    /** What was heard after the handshake on each connection that serves a port. */
    public final Queue<ByteArrayOutputStream> heard = new ConcurrentLinkedQueue<>();

    private final ServerSocket socket;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<Moment, Action> script = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Action insteadOfPeers = wire -> false;
    private volatile Action insteadOfContinuation = wire -> false;
    private volatile Function<Map<HandshakeProperty, String>, List<Received>> insteadOfOffered =
            handshake -> List.copyOf(offered);

    public ScriptedServer() throws IOException {
        this(0, null);
    }

    public ScriptedServer(final int port, final SSLContext tls) throws IOException {
        final InetAddress loopback = InetAddress.getLoopbackAddress();
        if (tls == null) {
            socket = new ServerSocket(port, 512, loopback);
        } else {
            socket = tls.getServerSocketFactory().createServerSocket(port, 512, loopback);
            ((SSLServerSocket) socket).setNeedClientAuth(true);
        }
        Thread.ofPlatform().daemon().name("scripted-server").start(this::accept);
    }

    public int port() {
        return socket.getLocalPort();
    }

    public Endpoint remotePort() {
        return Endpoint.of(socket.getInetAddress().getHostAddress(), port(), "port-id");
    }

    /**
     * Makes two servers the nodes of a cluster: both give the list of both, with how much each has queued. They have two names for
     * loopback, since the peers of a list differ in their names.
     */
    public static void cluster(
            final ScriptedServer first,
            final int queuedOfFirst,
            final ScriptedServer second,
            final int queuedOfSecond) {
        for (final ScriptedServer node : List.of(first, second)) {
            node.peers.put("127.0.0.1", new int[] {first.port(), queuedOfFirst});
            node.peers.put("localhost", new int[] {second.port(), queuedOfSecond});
        }
    }

    public int openConnections() {
        return open.size();
    }

    public ScriptedServer at(final Moment moment, final Action action) {
        script.put(moment, action);
        return this;
    }

    public ScriptedServer insteadOfPeers(final Action action) {
        insteadOfPeers = action;
        return this;
    }

    /** @param action what happens between two packets of a pull */
    public ScriptedServer insteadOfContinuation(final Action action) {
        insteadOfContinuation = action;
        return this;
    }

    /** @param packets all packets of a pull, by what the peer's handshake asks for */
    public ScriptedServer insteadOfOffered(final Function<Map<HandshakeProperty, String>, List<Received>> packets) {
        insteadOfOffered = packets;
        return this;
    }

    public ScriptedServer asUsual(final Moment moment) {
        script.remove(moment);
        return this;
    }

    public static Action answer(final ResponseCode code) {
        return wire -> {
            wire.say(code);
            return true;
        };
    }

    public static Action answer(final ResponseCode code, final String text) {
        return wire -> {
            wire.say(code, text);
            return true;
        };
    }

    public static Action hangUp() {
        return wire -> {
            throw new EOFException("hangs up");
        };
    }

    /** At the handshake: the list of peers is asked for without a port, and there is nothing to refuse then. */
    public static Action portOnly(final Action action) {
        return wire -> wire.ofPort && action.happen(wire);
    }

    public Action stall() {
        return wire -> {
            closed.await();
            return true;
        };
    }

    public static Action garbage() {
        return wire -> {
            wire.out.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes());
            wire.out.flush();
            wire.in.readAllBytes();
            return true;
        };
    }

    private void accept() {
        try {
            while (true) {
                final Socket connection = socket.accept();
                open.add(connection);
                if (closed.getCount() == 0) {
                    // Accepted while close() went through those that were open.
                    connection.close();
                }
                accepted.incrementAndGet();
                Thread.ofPlatform().daemon().start(() -> serve(connection));
            }
        } catch (final SocketException e) {
            closed.countDown();
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void serve(final Socket connection) {
        try (connection) {
            new Wire(connection).converse();
        } catch (final Exception e) {
            // The connection is closed: that is what a server does with whatever goes wrong.
        } finally {
            open.remove(connection);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        closed.countDown();
        for (final Socket connection : open) {
            connection.close();
        }
    }

    /** One connection. Lives on its thread. */
    public final class Wire {
        public final DataInputStream in;
        public final DataOutputStream out;
        private final InputStream rawIn;
        private final OutputStream rawOut;
        private final Map<HandshakeProperty, String> properties = new HashMap<>();
        private boolean compressed;
        private boolean ofPort;
        private OutputStream recorder = OutputStream.nullOutputStream();

        Wire(final Socket connection) throws IOException {
            rawIn = new BufferedInputStream(new FilterInputStream(connection.getInputStream()) {
                @Override
                public int read(final byte[] buffer, final int offset, final int length) throws IOException {
                    final int read = super.read(buffer, offset, length);
                    recorder.write(buffer, offset, Math.max(0, read));
                    return read;
                }
            });
            rawOut = new BufferedOutputStream(connection.getOutputStream());
            in = new DataInputStream(rawIn);
            out = new DataOutputStream(rawOut);
        }

        /** The properties of this connection's handshake; empty before it. */
        public Map<HandshakeProperty, String> properties() {
            return properties;
        }

        public void say(final ResponseCode code) throws IOException {
            code.writeResponse(out);
        }

        public void say(final ResponseCode code, final String text) throws IOException {
            code.writeResponse(out, text);
        }

        private boolean departs(final Moment moment) throws Exception {
            final Action action = script.get(moment);
            return action != null && action.happen(this);
        }

        public void converse() throws Exception {
            if (departs(Moment.ACCEPTED)) {
                return;
            }
            final byte[] magic = in.readNBytes(MAGIC_BYTES);
            if (!"NiFi".equals(new String(magic))) {
                throw new IOException("No magic");
            }
            final int version = negotiateProtocol();
            handshake(version);
            while (true) {
                final String request = in.readUTF();
                switch (request) {
                    case "NEGOTIATE_FLOWFILE_CODEC" -> negotiateCodec();
                    case "SEND_FLOWFILES" -> receive();
                    case "RECEIVE_FLOWFILES" -> send();
                    case "REQUEST_PEER_LIST" -> sayPeers();
                    case "SHUTDOWN" -> {
                        shutDowns.incrementAndGet();
                        return;
                    }
                    default -> throw new IOException("Unknown request " + request);
                }
            }
        }

        private int negotiateProtocol() throws Exception {
            in.readUTF();
            final int version = in.readInt();
            if (!departs(Moment.PROTOCOL)) {
                if (version > highestVersion.get()) {
                    out.write(21);
                    out.writeInt(highestVersion.get());
                    out.flush();
                    return negotiateProtocol();
                }
                out.write(RESOURCE_OK);
                out.flush();
            }
            return version;
        }

        private void handshake(final int version) throws Exception {
            commsIds.add(in.readUTF());
            if (version >= 3) {
                transitUris.add(in.readUTF() + TRANSACTION_URI_END);
            }
            for (int left = in.readInt(); left > 0; left--) {
                properties.put(HandshakeProperty.valueOf(in.readUTF()), in.readUTF());
            }
            handshakes.add(properties);
            ofPort = properties.containsKey(HandshakeProperty.PORT_IDENTIFIER);
            if (ofPort) {
                final ByteArrayOutputStream words = new ByteArrayOutputStream();
                heard.add(words);
                recorder = words;
            }
            compressed = Boolean.parseBoolean(properties.get(HandshakeProperty.GZIP));
            if (!departs(Moment.HANDSHAKE)) {
                say(ResponseCode.PROPERTIES_OK);
            }
        }

        private void negotiateCodec() throws Exception {
            in.readUTF();
            in.readInt();
            if (!departs(Moment.CODEC)) {
                out.write(RESOURCE_OK);
                out.flush();
            }
        }

        private void sayPeers() throws Exception {
            if (insteadOfPeers.happen(this)) {
                return;
            }
            out.writeInt(peers.size());
            for (final Map.Entry<String, int[]> peer : peers.entrySet()) {
                out.writeUTF(peer.getKey());
                out.writeInt(peer.getValue()[0]);
                out.writeBoolean(false);
                out.writeInt(peer.getValue()[1]);
            }
            out.flush();
        }

        private void receive() throws Exception {
            final CRC32 crc = new CRC32();
            final List<Received> packets = new CopyOnWriteArrayList<>();
            if (departs(Moment.FIRST_PACKET)) {
                return;
            }
            ResponseCode continuation = ResponseCode.CONTINUE_TRANSACTION;
            while (continuation == ResponseCode.CONTINUE_TRANSACTION) {
                final InputStream plain = compressed ? new CompressionInputStream(rawIn) : rawIn;
                final CheckedInputStream checked = new CheckedInputStream(plain, crc);
                final DataPacket packet = new StandardFlowFileCodec().decode(checked);
                final Received received =
                        new Received(packet.getAttributes(), packet.getData().readAllBytes());
                arrived.add(received);
                packets.add(received);
                final Response response = Response.read(in);
                continuation = response.getCode();
                if (continuation == ResponseCode.CANCEL_TRANSACTION) {
                    cancellations.add(response);
                    return;
                }
            }
            if (!departs(Moment.CONFIRM)) {
                say(ResponseCode.CONFIRM_TRANSACTION, String.valueOf(crc.getValue()));
            }
            final ResponseCode confirmed = Response.read(in).getCode();
            if (confirmed == ResponseCode.BAD_CHECKSUM) {
                badChecksums.incrementAndGet();
            }
            if (confirmed != ResponseCode.CONFIRM_TRANSACTION) {
                throw new IOException("Not confirmed");
            }
            committed.addAll(packets);
            if (!departs(Moment.FINISHED)) {
                say(ResponseCode.TRANSACTION_FINISHED);
            }
        }

        private void send() throws Exception {
            if (departs(Moment.FIRST_PACKET)) {
                return;
            }
            final List<Received> packets = insteadOfOffered.apply(properties);
            if (packets.isEmpty()) {
                say(ResponseCode.NO_MORE_DATA);
                return;
            }
            say(ResponseCode.MORE_DATA);
            final CRC32 crc = new CRC32();
            for (int i = 0; i < packets.size(); i++) {
                if (i > 0 && !insteadOfContinuation.happen(this)) {
                    say(ResponseCode.CONTINUE_TRANSACTION);
                }
                write(packets.get(i), crc);
            }
            say(ResponseCode.FINISH_TRANSACTION);
            final Response confirm = Response.read(in);
            if (confirm.getCode() == ResponseCode.CANCEL_TRANSACTION) {
                cancellations.add(confirm);
                throw new IOException("Cancelled");
            }
            if (!departs(Moment.CONFIRM)) {
                if (!String.valueOf(crc.getValue()).equals(confirm.getMessage())) {
                    say(ResponseCode.BAD_CHECKSUM);
                    throw new IOException("Bad checksum");
                }
                say(ResponseCode.CONFIRM_TRANSACTION, "");
            }
            if (Response.read(in).getCode() == ResponseCode.TRANSACTION_FINISHED) {
                finishedPulls.incrementAndGet();
                forgotten.addAll(packets);
                offered.removeAll(packets);
            }
        }

        private void write(final Received packet, final CRC32 crc) throws IOException {
            final OutputStream plain = compressed ? new CompressionOutputStream(rawOut) : rawOut;
            final CheckedOutputStream checked = new CheckedOutputStream(plain, crc);
            new StandardFlowFileCodec()
                    .encode(
                            new StandardDataPacket(
                                    packet.attributes(),
                                    new ByteArrayInputStream(packet.content()),
                                    packet.content().length),
                            checked);
            if (compressed) {
                checked.close();
            }
        }
    }
}
