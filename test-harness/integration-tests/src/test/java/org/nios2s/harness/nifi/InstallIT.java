// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.HarnessException;

/**
 * The commands of docs/install.md, as they stand there, on a NiFi with the {@code nifi.properties} that it ships. The NiFi that the
 * build puts together ships none, and has that of the harness. Runs on the thread of the tests with NiFis of its own.
 */
@Order(Order.DEFAULT + 2)
class InstallIT {
    private static final Path PAGE = Path.of("..", "..", "docs", "install.md");
    private static final Pattern COMMANDS = Pattern.compile("(?ms)^ *```sh install-(\\w+)\n(.*?)^ *```$");
    private static final Duration START = Duration.ofMinutes(3);

    /** Plain, since keys and certificates are made by NiFi's bootstrap, which is not part of what the harness puts together. */
    private static final Map<String, String> WITHOUT_BOOTSTRAP = Map.ofEntries(
            Map.entry("nifi.web.http.host", "127.0.0.1"),
            Map.entry("nifi.web.https.host", ""),
            Map.entry("nifi.web.https.port", ""),
            Map.entry("nifi.remote.input.host", "127.0.0.1"),
            Map.entry("nifi.remote.input.secure", "false"),
            Map.entry("nifi.sensitive.props.key", "for-this-test-only"),
            Map.entry("nifi.security.keystore", ""),
            Map.entry("nifi.security.keystoreType", ""),
            Map.entry("nifi.security.truststore", ""),
            Map.entry("nifi.security.truststoreType", ""),
            Map.entry("nifi.security.user.authorizer", ""),
            Map.entry("nifi.security.user.login.identity.provider", ""));

    private static final String OURS = "\"Site-to-Site NIO";
    private static final String STOCK = "\"Site-to-Site Listener";
    private static final String RAW_PORT = "nifi.remote.input.socket.port";

    private final NifiHome home = new NifiHome(Path.of("target", "install", "nifi"));
    private final int rawPort = FreePorts.any();
    private final Map<String, String> commands = COMMANDS.matcher(Files.readString(PAGE))
            .results()
            .collect(Collectors.toMap(block -> block.group(1), block -> block.group(2), String::concat, TreeMap::new));

    private NifiProcess nifi;

    InstallIT() throws IOException {}

    @BeforeEach
    void unpack() throws IOException {
        final NifiInstallation installation = NifiInstallation.usual();
        if (Files.exists(home.directory())) {
            NifiHome.delete(home.directory());
        }
        Files.createDirectories(home.logs());
        Files.createDirectories(home.conf());
        installation.link(home);
        NifiConfiguration.of(new NifiOptions().listener(Listener.STOCK), 0, 0, null, null)
                .write(home.conf());
        setAll(Map.of(RAW_PORT, ""));
        final Path shipped = installation.directory().resolve("conf/nifi.properties");
        if (Files.exists(shipped)) {
            Files.copy(shipped, properties(), StandardCopyOption.REPLACE_EXISTING);
        }
        setAll(WITHOUT_BOOTSTRAP);
        setAll(Map.of("nifi.web.http.port", Integer.toString(FreePorts.any())));
    }

    private void setAll(final Map<String, String> values) throws IOException {
        String lines = Files.readString(properties());
        for (final Map.Entry<String, String> value : values.entrySet()) {
            lines = lines.replaceAll(
                    "(?m)^" + Pattern.quote(value.getKey() + "=") + ".*", value.getKey() + "=" + value.getValue());
        }
        Files.writeString(properties(), lines);
    }

    @AfterEach
    void stop() {
        if (nifi != null) {
            nifi.stop();
        }
    }

    @Test
    void itsCommandsInstallCheckAndRollBack() throws Exception {
        assertEquals("", run("nar"));
        assertEquals("", run("line"));
        assertEquals(List.of(RAW_PORT + "=" + rawPort), linesOf(RAW_PORT));

        start(rawPort);
        assertTrue(run("check").contains(OURS));
        assertFalse(run("check").contains(STOCK));
        assertTrue(run("log").contains("The NIO Site-to-Site listener serves plain TCP "));
        nifi.stop();

        assertEquals("", run("back"));
        assertEquals(List.of(), linesOf("nifi.nar.library.provider.nio-s2s.implementation"));
        start(rawPort);
        assertTrue(run("check").contains(STOCK));
        assertFalse(run("check").contains(OURS));
    }

    /** As in the image {@code apache/nifi}, whose start script sets the port. */
    @Test
    void theyReplaceAPortThatIsSet() throws Exception {
        Files.writeString(properties(), Files.readString(properties()).replace(RAW_PORT + "=", RAW_PORT + "=10000"));

        run("line");
        run("line");

        assertEquals(List.of(RAW_PORT + "=" + rawPort), linesOf(RAW_PORT));
    }

    /** Why the page replaces a line and does not add one. */
    @Test
    void nifiDoesNotStartWithAKeyThatIsThereTwice() throws IOException {
        Files.writeString(properties(), Files.readString(properties()) + RAW_PORT + "=" + rawPort + "\n");

        assertThrows(HarnessException.class, () -> start(0));

        assertTrue(Stream.of(nifi.log().file(), nifi.log().consoleFile())
                .filter(Files::exists)
                .map(InstallIT::text)
                .anyMatch(text -> text.contains("Duplicate property keys with different values were detected")));
    }

    private void start(final int port) {
        nifi = NifiProcess.launch(home, new NifiOptions().heap("512m"));
        nifi.awaitReady(START, port);
    }

    private Path properties() {
        return home.conf().resolve("nifi.properties");
    }

    private List<String> linesOf(final String key) throws IOException {
        return Files.readAllLines(properties()).stream()
                .filter(line -> line.startsWith(key + "="))
                .toList();
    }

    /** Runs a block of the page in the home, with this test's port, NAR and process in the place of the page's; prints what it prints. */
    private String run(final String block) throws IOException, InterruptedException {
        final String script = commands.get(block)
                .replaceAll(
                        "/tmp/nifi-nio-s2s-nar-[\\d.]+\\.nar",
                        BuildOutput.nar("nifi-nio-s2s-nar.nar").toString())
                .replace("/opt/nifi/nifi-current", home.directory().toString())
                .replace("10443", Integer.toString(rawPort))
                .replace(
                        "jcmd org.apache.nifi.NiFi",
                        "jcmd " + (nifi == null ? 0 : nifi.handle().pid()));
        final ProcessBuilder builder = new ProcessBuilder("bash", "-euc", script)
                .directory(home.directory().toFile())
                .redirectErrorStream(true);
        builder.environment()
                .merge(
                        "PATH",
                        Path.of(System.getProperty("java.home"), "bin").toString(),
                        (path, jdk) -> jdk + File.pathSeparator + path);
        builder.environment().remove("JDK_JAVA_OPTIONS");
        final Process process = builder.start();
        final String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), () -> script + printed);
        return printed;
    }

    private static String text(final Path file) {
        return HarnessException.attempt(e -> "Cannot read " + file, () -> Files.readString(file));
    }
}
