// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/**
 * A peer whose Java renews the keys of TLS 1.3 after fewer bytes than by default. That is said once for a JVM, so it is the main
 * program of one of its own. For one thread.
 */
public final class RenewingPeer {
    private static final long PATIENCE_MINUTES = 2;
    private static final int BUFFER_BYTES = 16 * 1024;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final List<String> commandLine;
    private final Path said;

    /**
     * @param directory for its files
     * @param keys of both ends
     * @param port of the listener
     * @param limitBytes after which its Java renews a key
     */
    public RenewingPeer(final Path directory, final KeyStore keys, final int port, final long limitBytes)
            throws Exception {
        final Path keyFile = directory.resolve("keys.p12");
        MatrixTls.save(keys, keyFile);
        final Path security = Files.writeString(
                directory.resolve("java.security"),
                "jdk.tls.keyLimits=AES/GCM/NoPadding KeyUpdate " + limitBytes + ", ChaCha20-Poly1305 KeyUpdate "
                        + limitBytes);
        said = directory.resolve("peer.txt");
        commandLine = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.security.properties=" + security,
                "-cp",
                System.getProperty("java.class.path"),
                RenewingPeer.class.getName(),
                keyFile.toString(),
                String.valueOf(port));
    }

    /** What the peer does once. */
    public enum Action {
        PULL {
            @Override
            void run(final TestPeer peer, final long bytes) throws IOException {
                peer.open(MatrixListener.OUTPUT_PORT);
                pull(peer, bytes, 0);
            }
        },
        /** It reads more slowly than it gets, so that all buffers on the way are full. */
        PULL_SLOWLY {
            @Override
            void run(final TestPeer peer, final long bytes) throws IOException {
                peer.open(MatrixListener.OUTPUT_PORT);
                pull(peer, bytes, PAUSE_NANOS);
            }
        },
        PUSH {
            @Override
            void run(final TestPeer peer, final long bytes) throws IOException {
                peer.open(MatrixListener.INPUT_PORT);
                peer.say(Message.utf("SEND_FLOWFILES"), Message.packetHeader(bytes));
                for (long left = bytes; left > 0; left -= BUFFER_BYTES) {
                    peer.say(new byte[(int) Math.min(left, BUFFER_BYTES)]);
                }
                peer.say(ResponseCode.FINISH_TRANSACTION).expect(ResponseCode.CONFIRM_TRANSACTION);
                peer.confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            }
        };

        abstract void run(TestPeer peer, long bytes) throws IOException;
    }

    private static void pull(final TestPeer peer, final long bytes, final long pauseNanos) throws IOException {
        peer.request("RECEIVE_FLOWFILES");
        peer.expect(ResponseCode.MORE_DATA);
        final CRC32 checksum = new CRC32();
        final InputStream packet = new CheckedInputStream(peer.in(), checksum);
        packet.skipNBytes(Message.packetHeader(bytes).length);
        final byte[] buffer = new byte[BUFFER_BYTES];
        for (long left = bytes; left > 0; ) {
            left -= packet.readNBytes(buffer, 0, (int) Math.min(left, BUFFER_BYTES));
            LockSupport.parkNanos(pauseNanos);
        }
        peer.finishPull(String.valueOf(checksum.getValue()));
    }

    /**
     * Runs the peer in a JVM of its own.
     *
     * @return what it said if it failed, or nothing
     */
    public String run(final Action action, final long bytes) throws Exception {
        final List<String> line = new ArrayList<>(commandLine);
        line.addAll(List.of(action.name(), String.valueOf(bytes)));
        final Process peer = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            if (!peer.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
                return "not done in time";
            }
            return peer.exitValue() == 0 ? "" : Files.readString(said);
        } finally {
            peer.destroyForcibly();
        }
    }

    public static void main(final String[] arguments) throws Exception {
        final InetSocketAddress listener =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]));
        try (TestPeer peer = new TestPeer(listener, MatrixTls.context(MatrixTls.load(Path.of(arguments[0]))))) {
            Action.valueOf(arguments[2]).run(peer, Long.parseLong(arguments[3]));
        }
    }
}
