// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.nios2s.integration.Peers;

/**
 * Finds out what a TLS server offers, with greetings written byte by byte: a library would not ask for what it refuses
 * itself. Each greeting takes away what the server chose before, until nothing is left to choose.
 * For one thread.
 */
final class TlsScan {

    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int HANDSHAKE = 22;
    private static final int CLIENT_HELLO = 1;
    private static final int SERVER_HELLO = 2;
    private static final int SERVER_KEY_EXCHANGE = 12;
    private static final int SERVER_HELLO_DONE = 14;
    private static final int NAMED_CURVE = 3;
    private static final int TLS_1_0 = 0x0301;
    private static final int TLS_1_2 = 0x0303;
    private static final int TLS_1_3 = 0x0304;
    private static final int EXTENSION_GROUPS = 10;
    private static final int EXTENSION_POINT_FORMATS = 11;
    private static final int EXTENSION_SIGNATURES = 13;
    private static final int EXTENSION_VERSIONS = 43;
    private static final int EXTENSION_KEY_SHARE = 51;
    private static final int RANDOM_BYTES = 32;
    private static final int LENGTH_BYTES = 3;

    /** Every suite with a number, but for the two that signal something else. */
    private static final List<Integer> SUITES = IntStream.of(0x1301, 0x1302, 0x1303, 0x1304, 0x1305)
            .boxed()
            .collect(() -> new ArrayList<Integer>(), List::add, List::addAll);

    static {
        Stream.of(
                        IntStream.rangeClosed(0x0001, 0x00C5),
                        IntStream.rangeClosed(0xC001, 0xC0AF),
                        IntStream.rangeClosed(0xCCA8, 0xCCAE))
                .flatMap(IntStream::boxed)
                .forEach(SUITES::add);
    }

    /** Curves, finite fields, and the hybrids with ML-KEM. */
    private static final List<Integer> GROUPS = Stream.of(
                    IntStream.rangeClosed(1, 30),
                    IntStream.rangeClosed(256, 260),
                    IntStream.rangeClosed(0x11EB, 0x11ED))
            .flatMap(IntStream::boxed)
            .toList();

    private static final List<Integer> SIGNATURES =
            List.of(0x0403, 0x0503, 0x0603, 0x0807, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601, 0x0203, 0x0201);

    private final String host;
    private final int port;
    private final boolean fromManyAddresses;
    private int connections;

    /**
     * @param fromManyAddresses whether each connection comes from another address, so that it is the first from there; otherwise all
     *     come from {@link Peers#SUSPECT_ADDRESS}
     */
    TlsScan(final String host, final int port, final boolean fromManyAddresses) {
        this.host = host;
        this.port = port;
        this.fromManyAddresses = fromManyAddresses;
    }

    /**
     * What the server chose.
     * Immutable, for any thread.
     *
     * @param version of TLS
     * @param suite its number
     * @param group number of the group of the key agreement, if there is one
     */
    private record Choice(int version, int suite, Optional<Integer> group) {}

    /** Everything offered, one word each: versions, suites of a version, groups of a version. */
    SortedSet<String> everything() throws IOException {
        final SortedSet<String> offered = new TreeSet<>();
        for (int version = TLS_1_0; version <= TLS_1_3; version++) {
            final String name = "TLS 1." + (version - TLS_1_0);
            if (greet(version, SUITES, GROUPS).isPresent()) {
                offered.add(name);
                addSuites(version, name, offered);
                addGroups(version, name, offered);
            }
        }
        return offered;
    }

    private void addSuites(final int version, final String name, final SortedSet<String> offered) throws IOException {
        final List<Integer> left = new ArrayList<>(SUITES);
        Optional<Choice> choice = greet(version, left, GROUPS);
        while (choice.isPresent()) {
            offered.add(name + " suite " + hex(choice.get().suite()));
            if (!left.remove(Integer.valueOf(choice.get().suite()))) {
                throw new IOException("The server chose what was not asked for: " + choice);
            }
            choice = greet(version, left, GROUPS);
        }
    }

    private void addGroups(final int version, final String name, final SortedSet<String> offered) throws IOException {
        final List<Integer> left = new ArrayList<>(GROUPS);
        Optional<Choice> choice = greet(version, SUITES, left);
        while (choice.isPresent() && choice.get().group().isPresent()) {
            final Integer group = choice.get().group().get();
            offered.add(name + " group " + hex(group));
            if (!left.remove(group)) {
                throw new IOException("The server chose what was not asked for: " + choice);
            }
            choice = greet(version, SUITES, left);
        }
    }

    private static String hex(final int number) {
        return HexFormat.of().toHexDigits((short) number);
    }

    /** What the server answers to a greeting; nothing if it refuses. */
    private Optional<Choice> greet(final int version, final List<Integer> suites, final List<Integer> groups)
            throws IOException {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(nextAddress(), 0));
            socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write(clientHello(version, suites, groups));
            return answer(version, new DataInputStream(socket.getInputStream()));
        } catch (final EOFException | SocketException e) {
            return Optional.empty();
        }
    }

    private String nextAddress() {
        if (fromManyAddresses) {
            connections++;
            return "127.1.0." + connections;
        }
        return Peers.SUSPECT_ADDRESS;
    }

    private static byte[] clientHello(final int version, final List<Integer> suites, final List<Integer> groups)
            throws IOException {
        final ByteArrayOutputStream body = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(body);
        out.writeShort(Math.min(version, TLS_1_2));
        out.write(new byte[RANDOM_BYTES]);
        out.writeByte(0);
        out.writeShort(suites.size() * Short.BYTES);
        for (final int suite : suites) {
            out.writeShort(suite);
        }
        out.writeByte(1);
        out.writeByte(0);
        final ByteArrayOutputStream extensions = new ByteArrayOutputStream();
        extension(extensions, EXTENSION_GROUPS, shorts(groups));
        extension(extensions, EXTENSION_POINT_FORMATS, new byte[] {1, 0});
        if (version >= TLS_1_2) {
            extension(extensions, EXTENSION_SIGNATURES, shorts(SIGNATURES));
        }
        if (version == TLS_1_3) {
            extension(extensions, EXTENSION_VERSIONS, new byte[] {2, 3, 4});
            // No key yet: the server has to say which group it would take.
            extension(extensions, EXTENSION_KEY_SHARE, new byte[Short.BYTES]);
        }
        out.writeShort(extensions.size());
        extensions.writeTo(out);
        final ByteArrayOutputStream record = new ByteArrayOutputStream();
        final DataOutputStream framed = new DataOutputStream(record);
        framed.writeByte(HANDSHAKE);
        framed.writeShort(TLS_1_0);
        framed.writeShort(body.size() + Integer.BYTES);
        framed.writeInt(CLIENT_HELLO << Byte.SIZE * LENGTH_BYTES | body.size());
        body.writeTo(framed);
        return record.toByteArray();
    }

    private static byte[] shorts(final List<Integer> numbers) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        out.writeShort(numbers.size() * Short.BYTES);
        for (final int number : numbers) {
            out.writeShort(number);
        }
        return bytes.toByteArray();
    }

    private static void extension(final ByteArrayOutputStream extensions, final int type, final byte[] body)
            throws IOException {
        final DataOutputStream out = new DataOutputStream(extensions);
        out.writeShort(type);
        out.writeShort(body.length);
        out.write(body);
    }

    private static Optional<Choice> answer(final int asked, final DataInputStream in) throws IOException {
        Choice chosen = null;
        final DataInputStream messages = new DataInputStream(new HandshakeMessages(in));
        while (true) {
            final int head = messages.readInt();
            final byte[] body = messages.readNBytes(head & 0xFFFFFF);
            switch (head >>> Byte.SIZE * LENGTH_BYTES) {
                case SERVER_HELLO -> chosen = serverHello(body);
                case SERVER_KEY_EXCHANGE -> {
                    final DataInputStream key = new DataInputStream(new ByteArrayInputStream(body));
                    return Optional.of(new Choice(
                            chosen.version(),
                            chosen.suite(),
                            key.readUnsignedByte() == NAMED_CURVE
                                    ? Optional.of(key.readUnsignedShort())
                                    : Optional.empty()));
                }
                case SERVER_HELLO_DONE -> {
                    return Optional.of(chosen);
                }
                default -> {
                    // The certificate and the like.
                }
            }
            if (chosen.version() != asked) {
                return Optional.empty();
            }
            if (asked == TLS_1_3) {
                return Optional.of(chosen);
            }
        }
    }

    private static Choice serverHello(final byte[] body) throws IOException {
        final DataInputStream hello = new DataInputStream(new ByteArrayInputStream(body));
        int version = hello.readUnsignedShort();
        hello.skipNBytes(RANDOM_BYTES);
        hello.skipNBytes(hello.readUnsignedByte());
        final int suite = hello.readUnsignedShort();
        hello.readByte();
        Optional<Integer> group = Optional.empty();
        if (hello.available() > 0) {
            hello.readUnsignedShort();
            while (hello.available() > 0) {
                final int type = hello.readUnsignedShort();
                final byte[] value = hello.readNBytes(hello.readUnsignedShort());
                final int number = value.length >= Short.BYTES ? (value[0] & 0xFF) << Byte.SIZE | value[1] & 0xFF : 0;
                if (type == EXTENSION_VERSIONS) {
                    version = number;
                } else if (type == EXTENSION_KEY_SHARE) {
                    group = Optional.of(number);
                }
            }
        }
        return new Choice(version, suite, group);
    }

    /** The handshake messages of a server's records, one after the other; ends at an alert. For one thread. */
    private static final class HandshakeMessages extends java.io.InputStream {
        private final DataInputStream records;
        private int left;

        HandshakeMessages(final DataInputStream records) {
            this.records = records;
        }

        @Override
        public int read() throws IOException {
            while (left == 0) {
                final int type = records.read();
                if (type != HANDSHAKE) {
                    return -1;
                }
                records.readUnsignedShort();
                left = records.readUnsignedShort();
            }
            left--;
            return records.read();
        }
    }
}
