// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.nios2s.harness.nifi.FreePorts;
import org.nios2s.harness.nifi.NifiNodeInfo;

/**
 * A real HAProxy in front of a NiFi, which it also checks for health, with a PROXY header of either version.
 * For the thread of the tests; ends with the test.
 */
final class HaProxy implements AutoCloseable {
    /** From where it connects to NiFi. */
    static final String ADDRESS = "127.0.0.8";

    /** Names the program where it is not on the path. */
    static final String PROGRAM = "haproxy";

    private static final Path DIRECTORY = Path.of("target", "haproxy");
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final String CONFIGURATION = """
            defaults
                mode tcp
                timeout connect 5s
                timeout client 1m
                timeout server 1m

            listen nifi
                bind 127.0.0.1:%d
                server node %s:%d source %s %s check inter 100ms
            """;

    private final Process process;
    private final Path log;
    private final int port = FreePorts.any();

    /** @param option HAProxy's, for the version of the header */
    private HaProxy(final Path program, final NifiNodeInfo nifi, final String option) throws IOException {
        Files.createDirectories(DIRECTORY);
        final Path configuration = DIRECTORY.resolve(option + ".cfg");
        Files.writeString(
                configuration, CONFIGURATION.formatted(port, nifi.s2sHost(), nifi.s2sPort(), ADDRESS, option));
        log = DIRECTORY.resolve(option + ".log");
        process = new ProcessBuilder(program.toString(), "-db", "-f", configuration.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    /** The program, where this machine has it. */
    static Optional<Path> program() {
        final String named = System.getProperty(PROGRAM);
        if (named != null) {
            return Optional.of(Path.of(named));
        }
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .map(directory -> Path.of(directory, PROGRAM))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts one, which serves when this returns. */
    static HaProxy start(final Path program, final NifiNodeInfo nifi, final String option) throws IOException {
        final HaProxy started = new HaProxy(program, nifi, option);
        boolean serves = false;
        try {
            Awaitility.await().atMost(PATIENCE).until(started::serves);
            serves = true;
            return started;
        } finally {
            if (!serves) {
                started.close();
            }
        }
    }

    private boolean serves() throws IOException {
        if (!process.isAlive()) {
            throw new IllegalStateException("HAProxy has ended: " + Files.readString(log));
        }
        try (Socket socket = new Socket()) {
            socket.connect(address());
            return true;
        } catch (final IOException e) {
            // Not yet.
            return false;
        }
    }

    /** Where agents connect. */
    InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", port);
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (final InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
