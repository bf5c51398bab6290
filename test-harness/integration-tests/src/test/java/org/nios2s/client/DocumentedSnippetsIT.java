// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.apache.nifi.remote.client.KeystoreType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.SinkLedger;
import org.nios2s.integration.SharedNifi;

/**
 * The Java of README.md and docs/client.md, compiled as it stands there, and run with a secured NiFi. Only the URL, the names of the
 * ports and of the stores of keys are others. Runs on the thread of the tests against the shared NiFi.
 */
@ResourceLock(SharedNifi.Lock.NIO_SECURED)
class DocumentedSnippetsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path PROJECT = Path.of("..", "..");
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final String TLS = "SSLContext.getInstance";
    private static final String CONNECT =
            "SiteToSite nifi = NioSiteToSite.builder().url(url).tls(sslContext).build();\n";
    private static final String BEGIN = """
            import io.micrometer.core.instrument.*;
            import java.io.*;
            import java.security.*;
            import java.time.*;
            import java.util.*;
            import javax.net.ssl.*;
            import org.apache.nifi.remote.*;
            import org.apache.nifi.remote.client.*;
            import org.nios2s.client.*;
            import org.nios2s.client.metrics.*;
            import org.nios2s.client.nifi.*;
            import org.nios2s.client.testing.*;
            import static org.junit.jupiter.api.Assertions.*;
            public class Snippet extends SnippetSurroundings {
                public static void run() throws Exception {
            """;

    private final NifiNode nifi = SharedNifi.NIO_SECURED.withEmptyLoop();

    @TempDir
    private Path directory;

    @BeforeEach
    void reset() {
        SnippetSurroundings.reset(nifi);
    }

    private static List<String> snippets(final String page) throws Exception {
        return JAVA.matcher(Files.readString(PROJECT.resolve(page)))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static String ofReadme() throws Exception {
        return snippets("README.md").get(0);
    }

    private static String ofClientPage(final String containing) throws Exception {
        return snippets("docs/client.md").stream()
                .filter(snippet -> snippet.contains(containing))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void eachSnippetHasATestHere() throws Exception {
        assertEquals(1, snippets("README.md").size());
        assertEquals(7, snippets("docs/client.md").size());
    }

    @Test
    void theReadmeSendsWhatIsPolledThen() throws Exception {
        run(ofClientPage(TLS) + ofReadme());
        run(ofClientPage(TLS)
                + CONNECT
                + "try (nifi) { OutputPort port = nifi.outputPort(\"to edge\");\n"
                + ofClientPage("port.poll(")
                + "}\n");
        assertEquals(
                List.of("reading 0", "reading 1", "reading 2"),
                SnippetSurroundings.records.stream()
                        .map(record -> new String(record, UTF_8))
                        .sorted()
                        .toList());
        assertEquals(List.of(), SnippetSurroundings.failures);
    }

    @Test
    void theClientPageBeginsWithSendingAndReceiving() throws Exception {
        SnippetSurroundings.path = Files.writeString(directory.resolve("file"), "of a file");
        run(ofClientPage(TLS) + ofClientPage("receive("));
        assertEquals(
                List.of("of a file", "reading 0", "reading 1", "reading 2"),
                SnippetSurroundings.stored.stream().sorted().toList());
        assertEquals(List.of(), SnippetSurroundings.failures);
    }

    @Test
    void recordsAreJoined() throws Exception {
        final SinkLedger before = nifi.ledger();
        SnippetSurroundings.records.add("{\"a\":1}".getBytes(UTF_8));
        SnippetSurroundings.records.add("{\"a\":2}".getBytes(UTF_8));
        run(ofClientPage(TLS)
                + CONNECT
                + "try (nifi) {"
                + ofClientPage("joining(").replace("inputPort(\"readings\")", "inputPort(\"input\")")
                + "}\n");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> nifi.ledger().since(before).equals(new SinkLedger(1, 16)));
        assertEquals(List.of(), SnippetSurroundings.failures);
    }

    @Test
    void metersAreBound() throws Exception {
        run(ofClientPage("MicrometerMetrics") + "nifi.close();\n");
        assertFalse(SnippetSurroundings.registry.getMeters().isEmpty());
        assertTrue(SnippetSurroundings.registry.getMeters().stream()
                .allMatch(meter -> meter.getId().getName().startsWith("nifi.s2s.client")));
    }

    @Test
    void theDropInSends() throws Exception {
        final SinkLedger before = nifi.ledger();
        SnippetSurroundings.builder
                .url(SnippetSurroundings.url)
                .portName("input")
                .keystoreFilename(nifi.info().security().keyStore())
                .keystorePass(nifi.info().security().password())
                .keystoreType(KeystoreType.PKCS12)
                .truststoreFilename(nifi.info().security().trustStore())
                .truststorePass(nifi.info().security().password())
                .truststoreType(KeystoreType.PKCS12);
        run(ofClientPage("new NioSiteToSiteClient(") + """
                try (client) {
                    Transaction transaction = client.createTransaction(TransferDirection.SEND);
                    transaction.send(new byte[10], Map.of());
                    transaction.confirm();
                    transaction.complete();
                }
                """);
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> nifi.ledger().since(before).equals(new SinkLedger(1, 10)));
    }

    /** No NiFi but the one in memory. */
    @Test
    void codeIsTested() throws Exception {
        compiledAndRun(ofClientPage("new InMemoryNifi()") + "nifi.close();\n");
    }

    private void run(final String code) throws Exception {
        compiledAndRun(code.replaceAll("url\\(\"[^\"]*\"\\)", "url(url)")
                .replace("inputPort(\"from edge\")", "inputPort(\"loop-in\")")
                .replace("inputPort(\"readings\")", "inputPort(\"loop-in\")")
                .replace("outputPort(\"to edge\")", "outputPort(\"loop-out\")")
                .replace("agent-7.p12", nifi.info().security().keyStore())
                .replace("trust.p12", nifi.info().security().trustStore()));
    }

    private void compiledAndRun(final String code) throws Exception {
        final Path classes = Files.createTempDirectory(directory, "classes");
        final Path source = Files.writeString(classes.resolve("Snippet.java"), BEGIN + code + "}}\n");
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final StringWriter messages = new StringWriter();
        final List<String> options =
                List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, UTF_8)) {
            assertTrue(
                    compiler.getTask(messages, files, null, options, null, files.getJavaFileObjects(source))
                            .call(),
                    () -> messages + code);
        }
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
            loader.loadClass("Snippet").getMethod("run").invoke(null);
        }
    }
}
