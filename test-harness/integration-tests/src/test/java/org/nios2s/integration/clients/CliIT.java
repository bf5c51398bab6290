// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.security.CertificateAuthority;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;
import org.nios2s.integration.SharedNifi;

/** The command {@code s2s}, as a process of its own, and a real NiFi with either listener. Lives on the test's thread. */
class CliIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int LINES = 25_000;

    @TempDir
    private Path directory;

    private static Path jar() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("..", "..", "nifi-nio-s2s-client", "cli", "target"))) {
            return files.filter(
                            file -> file.getFileName().toString().matches("nifi-nio-s2s-cli-[0-9.]+(-SNAPSHOT)?\\.jar"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** @return the lines of its standard output */
    private List<String> run(final int exitCode, final String... arguments) throws Exception {
        return run(exitCode, Map.of(), arguments);
    }

    private List<String> run(final int exitCode, final Map<String, String> environment, final String... arguments)
            throws Exception {
        return run(exitCode, environment, new File("/dev/null"), arguments);
    }

    private List<String> run(
            final int exitCode, final Map<String, String> environment, final File in, final String... arguments)
            throws Exception {
        final List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar", jar().toString()));
        command.addAll(Arrays.asList(arguments));
        final Path out = Files.createTempFile("s2s", ".out");
        final Path err = Files.createTempFile("s2s", ".err");
        final ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(in)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(environment);
        final Process process = builder.start();
        assertTrue(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(exitCode, process.exitValue(), () -> text(err));
        return Files.readAllLines(out);
    }

    private static String text(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            return e.toString();
        }
    }

    private void filesGoThrough(final NifiNode nifi) throws Exception {
        final String url = nifi.info().api().replace("/nifi-api", "/nifi");
        final Path in = Files.createDirectory(directory.resolve("in"));
        final Path out = Files.createDirectory(directory.resolve("out"));
        final String a = Files.writeString(in.resolve("a.txt"), "first").toString();
        final String b = Files.writeString(in.resolve("b.txt"), "second").toString();
        assertEquals(List.of(a, b), run(0, "send", a, b, "--batch", "2", "--url", url, "--port-name", "loop-in"));
        final String c = Files.writeString(in.resolve("a.txt"), "third").toString();
        assertEquals(
                List.of(c),
                run(
                        0,
                        "send",
                        c,
                        "--host",
                        nifi.info().s2sHost(),
                        "--port",
                        "" + nifi.info().s2sPort(),
                        "--port-name",
                        nifi.portId("loop-in")));
        final Set<String> received = new TreeSet<>(
                run(0, "receive", out.toString(), "--wait", "2s", "--url", url, "--port-name", "loop-out"));
        assertEquals(3, received.size());
        try (Stream<Path> files = Files.list(out)) {
            assertEquals(
                    Set.of("a.txt", "a.txt.1", "b.txt"),
                    files.map(file -> file.getFileName().toString()).collect(Collectors.toSet()));
        }
        assertEquals(List.of(), run(0, "receive", out.toString(), "--url", url, "--port-name", "loop-out"));
        run(1, "send", a, "--url", url, "--port-name", "no such port");
    }

    /** A line in each, and a number in each line, so that none is the same; the last one without a newline. */
    private static String manyLines() {
        return IntStream.range(0, LINES).mapToObj(i -> "line " + i + "\r").collect(Collectors.joining("\n"));
    }

    /** FlowFiles of lines that were sent arrive in any order, and each has as many as it says. */
    private void linesGoThrough(final NifiNode nifi, final Map<String, String> environment, final String... tls)
            throws Exception {
        final Path lines = Files.writeString(directory.resolve("lines"), manyLines());
        final Path out = Files.createDirectory(directory.resolve("lines-out"));
        final List<String> where = List.of("--url", nifi.info().api().replace("/nifi-api", "/nifi"), "--port-name");
        final Stream<String> send = Stream.of(
                        Stream.of("send", "--lines", "--batch-count", "1000"),
                        where.stream(),
                        Stream.of("loop-in"),
                        Stream.of(tls))
                .flatMap(each -> each);
        assertEquals(List.of(), run(0, environment, lines.toFile(), send.toArray(String[]::new)));
        final Stream<String> receive = Stream.of(
                        Stream.of("receive", out.toString(), "--attributes", "--wait", "2s"),
                        where.stream(),
                        Stream.of("loop-out"),
                        Stream.of(tls))
                .flatMap(each -> each);
        final Set<String> received = new TreeSet<>();
        for (final String file : run(0, environment, receive.toArray(String[]::new))) {
            if (file.endsWith(".attributes")) {
                continue;
            }
            final List<String> ofFile =
                    Arrays.asList(Files.readString(Path.of(file)).split("\n"));
            final Properties attributes = new Properties();
            attributes.load(Files.newBufferedReader(Path.of(file + ".attributes")));
            assertEquals("" + ofFile.size(), attributes.getProperty("record.count"));
            assertEquals("text/plain", attributes.getProperty("mime.type"));
            ofFile.forEach(line -> assertTrue(received.add(line), line));
        }
        assertEquals(new TreeSet<>(Arrays.asList(manyLines().split("\n"))), received);
    }

    @Test
    @ResourceLock(SharedNifi.Lock.NIO)
    void linesGoThroughOurListener() throws Exception {
        linesGoThrough(SharedNifi.NIO.withEmptyLoop(), Map.of());
    }

    @Test
    @ResourceLock(SharedNifi.Lock.STOCK)
    void linesGoThroughTheStockListener() throws Exception {
        linesGoThrough(SharedNifi.STOCK.withEmptyLoop(), Map.of());
    }

    @Test
    @ResourceLock(SharedNifi.Lock.NIO_SECURED)
    void linesGoOverTls() throws Exception {
        final NifiNode nifi = SharedNifi.NIO_SECURED.withEmptyLoop();
        final SecurityFiles security = nifi.security();
        linesGoThrough(
                nifi,
                Map.of("S2S_KEYSTORE_PASSWORD", security.password(), "S2S_TRUSTSTORE_PASSWORD", security.password()),
                "--keystore",
                security.keyStore(Identity.CLIENT).toString(),
                "--truststore",
                security.trustStore().toString());
    }

    @Test
    @ResourceLock(SharedNifi.Lock.NIO)
    void filesGoThroughOurListener() throws Exception {
        filesGoThrough(SharedNifi.NIO.withEmptyLoop());
    }

    @Test
    @ResourceLock(SharedNifi.Lock.STOCK)
    void filesGoThroughTheStockListener() throws Exception {
        filesGoThrough(SharedNifi.STOCK.withEmptyLoop());
    }

    private static String pem(final String type, final byte[] encoded) {
        return "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder().encodeToString(encoded) + "\n-----END " + type
                + "-----\n";
    }

    private String pemFile(final String name, final String type, final byte[] encoded) throws IOException {
        return Files.writeString(directory.resolve(name), pem(type, encoded)).toString();
    }

    @Test
    @ResourceLock(SharedNifi.Lock.NIO_SECURED)
    void filesGoOverTls() throws Exception {
        final NifiNode nifi = SharedNifi.NIO_SECURED.withEmptyLoop();
        final SecurityFiles security = nifi.security();
        final String url = nifi.info().api().replace("/nifi-api", "/nifi");
        final String a = Files.writeString(directory.resolve("a.txt"), "first").toString();
        final Path out = Files.createDirectory(directory.resolve("out"));

        final KeyStore store = KeyStore.getInstance(
                security.keyStore(Identity.CLIENT).toFile(), security.password().toCharArray());
        final String certificate = pemFile(
                "me.pem",
                "CERTIFICATE",
                store.getCertificate(CertificateAuthority.ALIAS).getEncoded());
        final String key = pemFile(
                "me.key",
                "PRIVATE KEY",
                store.getKey(CertificateAuthority.ALIAS, security.password().toCharArray())
                        .getEncoded());
        final String authority = pemFile(
                "ca.pem",
                "CERTIFICATE",
                security.authority()
                        .trustStore()
                        .getCertificate(CertificateAuthority.ALIAS)
                        .getEncoded());
        assertEquals(
                List.of(a),
                run(
                        0,
                        "send",
                        a,
                        "--url",
                        url,
                        "--port-name",
                        "loop-in",
                        "--cert",
                        certificate,
                        "--key",
                        key,
                        "--ca",
                        authority));

        final Map<String, String> passwords =
                Map.of("S2S_KEYSTORE_PASSWORD", security.password(), "S2S_TRUSTSTORE_PASSWORD", security.password());
        final List<String> received = run(
                0,
                passwords,
                "receive",
                out.toString(),
                "--wait",
                "2s",
                "--url",
                url,
                "--port-name",
                "loop-out",
                "--keystore",
                security.keyStore(Identity.CLIENT).toString(),
                "--truststore",
                security.trustStore().toString());
        assertEquals(List.of(out.resolve("a.txt").toString()), received);
        assertEquals("first", Files.readString(out.resolve("a.txt")));

        // One that NiFi does not trust, and one without TLS.
        run(
                1,
                passwords,
                "send",
                a,
                "--url",
                url,
                "--port-name",
                "loop-in",
                "--truststore",
                security.trustStore().toString());
        run(1, "send", a, "--url", url, "--port-name", "loop-in");
    }
}
