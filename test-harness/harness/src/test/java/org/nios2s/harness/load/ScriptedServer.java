// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.apache.nifi.remote.io.CompressionInputStream;
import org.apache.nifi.remote.io.CompressionOutputStream;
import org.apache.nifi.remote.protocol.HandshakeProperty;
import org.apache.nifi.remote.protocol.RequestType;
import org.apache.nifi.remote.protocol.ResponseCode;

/**
 * A RAW Site-to-Site server of a few lines on loopback that can be told to misbehave. Each connection lives on a
 * virtual thread.
 */
public final class ScriptedServer implements Closeable {

    /** What the server does with a transaction. */
    public enum Script {
        FAITHFUL,
        DESTINATION_FULL,
        WRONG_CHECKSUM,
        SILENT_INSTEAD_OF_CONFIRMATION,
        CLOSE_INSTEAD_OF_FINISHING,
        GARBAGE_INSTEAD_OF_CONFIRMATION,
        REFUSE_PORT,
        SLOW,
        STALLS_ONCE,
        PAUSES_IN_A_PULL,
        /** It sends one packet fewer than it was asked for. */
        ONE_TOO_FEW_IN_A_PULL
    }

    public static final int PULLED_BYTES = 25;

    private static final long SLOW_MILLIS = 100;
    private static final long STALL_MILLIS = 400;
    private static final long PULL_PAUSE_MILLIS = 1_200;
    private static final int STALL_AT = 5;

    public static final String PORT_ID = "9b2f6d8e-0192-1000-0000-000000000001";

    /** Names of this server in the list of peers, by both of which it can be reached. */
    public static final List<String> NODES = List.of("127.0.0.1", "localhost");

    private static final int OK = 20;
    private static final int RESPONSE_BYTES = 3;

    private static final int BACKLOG = 1_000;

    private final ServerSocket listening;
    private final Script script;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger politeEnds = new AtomicInteger();
    private final AtomicInteger transactions = new AtomicInteger();
    private final ThreadLocal<CRC32> pushed = new ThreadLocal<>();
    private final Map<String, String> handshake = new ConcurrentHashMap<>();
    private final List<String> packetIds = new CopyOnWriteArrayList<>();
    private final List<Integer> sizes = new CopyOnWriteArrayList<>();

    public ScriptedServer(final Script script) throws IOException {
        this(script, ServerSocketFactory.getDefault(), false);
    }

    /** A server that asks for client certificates. */
    public ScriptedServer(final Script script, final SSLContext tls) throws IOException {
        this(script, tls.getServerSocketFactory(), true);
    }

    private ScriptedServer(final Script script, final ServerSocketFactory factory, final boolean secure)
            throws IOException {
        this.script = script;
        this.listening = factory.createServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        if (secure) {
            ((SSLServerSocket) listening).setNeedClientAuth(true);
        }
        Thread.ofVirtual().start(this::acceptAll);
    }

    public int port() {
        return listening.getLocalPort();
    }

    public int connections() {
        return connections.get();
    }

    public int politeEnds() {
        return politeEnds.get();
    }

    public Map<String, String> handshake() {
        return handshake;
    }

    public List<String> packetIds() {
        return packetIds;
    }

    public List<Integer> sizes() {
        return sizes;
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (final Socket socket : sockets) {
            socket.close();
        }
    }

    private void acceptAll() {
        try {
            while (!listening.isClosed()) {
                final Socket socket = listening.accept();
                sockets.add(socket);
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (final IOException e) {
            // Closed by the test: there is nobody left to serve.
            connections.get();
        }
    }

    private void serve(final Socket socket) {
        try (socket) {
            final CRC32 crc = new CRC32();
            final BufferedInputStream raw = new BufferedInputStream(socket.getInputStream());
            final DataInputStream in = new DataInputStream(raw);
            final DataInputStream packets = new DataInputStream(new CheckedInputStream(raw, crc));
            final DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
            if (openUp(in, out)) {
                while (serveRequest(in, packets, crc, out)) {
                    out.flush();
                }
            }
            out.flush();
        } catch (final IOException e) {
            // The peer left, as many of these tests want it to.
            politeEnds.get();
        }
    }

    private boolean openUp(final DataInputStream in, final DataOutputStream out) throws IOException {
        if (!"NiFi".equals(new String(in.readNBytes("NiFi".length()), StandardCharsets.US_ASCII))) {
            throw new IOException("a peer of another protocol");
        }
        in.readUTF();
        in.readInt();
        out.writeByte(OK);
        out.flush();
        in.readUTF();
        in.readUTF();
        final Map<String, String> properties = new HashMap<>();
        final int count = in.readInt();
        for (int i = 0; i < count; i++) {
            properties.put(in.readUTF(), in.readUTF());
        }
        handshake.putAll(properties);
        if (!properties.containsKey(HandshakeProperty.PORT_IDENTIFIER.name())) {
            ResponseCode.PROPERTIES_OK.writeResponse(out); // It asks for the list of peers.
            return true;
        }
        if (script == Script.REFUSE_PORT || !PORT_ID.equals(properties.get(HandshakeProperty.PORT_IDENTIFIER.name()))) {
            ResponseCode.UNKNOWN_PORT.writeResponse(out);
            return false;
        }
        ResponseCode.PROPERTIES_OK.writeResponse(out);
        return true;
    }

    /** @return whether another request may follow */
    private boolean serveRequest(
            final DataInputStream in, final DataInputStream packets, final CRC32 crc, final DataOutputStream out)
            throws IOException {
        switch (RequestType.readRequestType(in)) {
            case NEGOTIATE_FLOWFILE_CODEC:
                in.readUTF();
                in.readInt();
                out.writeByte(OK);
                return true;
            case SEND_FLOWFILES:
                crc.reset();
                pushed.set(crc);
                receivePackets(in, packets);
                dawdle();
                return answer(in, crc, out);
            case RECEIVE_FLOWFILES:
                return sendPackets(in, out);
            case REQUEST_PEER_LIST:
                out.writeInt(NODES.size());
                for (final String host : NODES) {
                    out.writeUTF(host);
                    out.writeInt(port());
                    out.writeBoolean(false);
                    out.writeInt(0);
                }
                return true;
            default:
                politeEnds.incrementAndGet();
                return false;
        }
    }

    private void dawdle() {
        if (script == Script.SLOW) {
            pause(SLOW_MILLIS);
        } else if (script == Script.STALLS_ONCE && transactions.incrementAndGet() == STALL_AT) {
            pause(STALL_MILLIS);
        }
    }

    private static void pause(final long millis) {
        try {
            Thread.sleep(millis);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isCompressed() {
        return "true".equals(handshake.get(HandshakeProperty.GZIP.name()));
    }

    private boolean sendPackets(final DataInputStream in, final DataOutputStream out) throws IOException {
        ResponseCode.MORE_DATA.writeResponse(out);
        final CRC32 crc = new CRC32();
        final int asked = Integer.parseInt(handshake.get(HandshakeProperty.BATCH_COUNT.name()));
        final int count = script == Script.ONE_TOO_FEW_IN_A_PULL ? asked - 1 : asked;
        for (int packet = 0; packet < count; packet++) {
            if (packet > 0) {
                pauseInPull(out);
                ResponseCode.CONTINUE_TRANSACTION.writeResponse(out);
                pauseInPull(out);
            }
            final CompressionOutputStream deflating = isCompressed() ? new CompressionOutputStream(out) : null;
            final DataOutputStream plain =
                    new DataOutputStream(new CheckedOutputStream(deflating == null ? out : deflating, crc));
            plain.writeInt(0);
            plain.writeLong(PULLED_BYTES);
            plain.write(new byte[PULLED_BYTES]);
            plain.flush();
            if (deflating != null) {
                deflating.close();
            }
        }
        ResponseCode.FINISH_TRANSACTION.writeResponse(out);
        out.flush();
        if (readCode(in) != ResponseCode.CONFIRM_TRANSACTION || !in.readUTF().equals(Long.toString(crc.getValue()))) {
            return false;
        }
        ResponseCode.CONFIRM_TRANSACTION.writeResponse(out, "");
        out.flush();
        return readCode(in) == ResponseCode.TRANSACTION_FINISHED;
    }

    private void pauseInPull(final DataOutputStream out) throws IOException {
        if (script == Script.PAUSES_IN_A_PULL) {
            out.flush();
            pause(PULL_PAUSE_MILLIS);
        }
    }

    private void receivePackets(final DataInputStream in, final DataInputStream checked) throws IOException {
        boolean more = true;
        while (more) {
            final DataInputStream packets = isCompressed()
                    ? new DataInputStream(new CheckedInputStream(new CompressionInputStream(in), pushed.get()))
                    : checked;
            final int attributes = packets.readInt();
            for (int i = 0; i < attributes; i++) {
                final String name = readString(packets);
                final String value = readString(packets);
                if ("packet.id".equals(name)) {
                    packetIds.add(value);
                }
            }
            sizes.add(packets.readNBytes((int) packets.readLong()).length);
            if (isCompressed()) {
                packets.read();
            }
            more = readCode(in) == ResponseCode.CONTINUE_TRANSACTION;
        }
    }

    private boolean answer(final DataInputStream in, final CRC32 crc, final DataOutputStream out) throws IOException {
        if (script == Script.SILENT_INSTEAD_OF_CONFIRMATION) {
            in.read();
            return false;
        }
        if (script == Script.GARBAGE_INSTEAD_OF_CONFIRMATION) {
            out.writeUTF("what?");
            return false;
        }
        final long wrong = script == Script.WRONG_CHECKSUM ? 1 : 0;
        ResponseCode.CONFIRM_TRANSACTION.writeResponse(out, Long.toString(crc.getValue() + wrong));
        if (readCode(in) != ResponseCode.CONFIRM_TRANSACTION) {
            return false;
        }
        in.readUTF();
        if (script == Script.CLOSE_INSTEAD_OF_FINISHING) {
            return false;
        }
        (script == Script.DESTINATION_FULL
                        ? ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL
                        : ResponseCode.TRANSACTION_FINISHED)
                .writeResponse(out);
        return true;
    }

    private static ResponseCode readCode(final DataInputStream in) throws IOException {
        return ResponseCode.fromCode(in.readNBytes(RESPONSE_BYTES)[RESPONSE_BYTES - 1] & 0xFF);
    }

    private static String readString(final DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }
}
