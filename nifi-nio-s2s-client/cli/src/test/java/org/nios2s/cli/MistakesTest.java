// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each mistake of a user is one line that says what to do, and nothing is sent. Lives on the test's thread. */
class MistakesTest {
    private static final String[] NIFI = {"--url", "https://127.0.0.1:1/nifi", "--port-name", "in"};

    @TempDir
    private Path directory;

    private String file;

    @BeforeEach
    void makeFile() throws Exception {
        file = write("a.txt", "content");
    }

    private String write(final String name, final String content) throws Exception {
        return Files.writeString(directory.resolve(name), content).toString();
    }

    private static void assertSays(final String message, final String[] nifi, final String... arguments) {
        final Run run = Run.of(
                nifi, Stream.concat(Stream.of("send"), Stream.of(arguments)).toArray(String[]::new));
        assertEquals(Outcome.MISTAKE.exitCode(), run.exitCode(), run::err);
        assertTrue(run.err().lines().findFirst().orElse("").contains(message), run::err);
        assertFalse(run.err().contains("\tat "), run::err);
        assertTrue(run.err().lines().count() <= 2, run::err);
    }

    @Test
    void nifiIsNamedInOneWay() {
        assertSays("Where is NiFi? Give --url, or --host and --port", new String[0], "--port-name", "in", file);
        assertSays(
                "--host and --port belong together: --port is missing",
                new String[0],
                "--port-name",
                "in",
                "--host",
                "a",
                file);
        assertSays("Give either --url or --host and --port, not both", NIFI, "--host", "a", file);
        assertSays("Missing required option: '--port-name", new String[0], "--url", "http://a/nifi", file);
        assertSays("--port-name is blank", new String[0], "--url", "http://a/nifi", "--port-name", "", file);
        assertSays("URL", new String[0], "--url", "ftp://a", "--port-name", "in", file);
        assertSays("70000", new String[0], "--host", "a", "--port", "70000", "--port-name", "in", file);
    }

    @Test
    void somethingIsToBeSent() {
        assertSays("Missing required parameter: 'FILE'", NIFI);
    }

    @Test
    void anOptionThatIsUnknownIsSaid() {
        assertSays("Unknown option: '--prot=1'", NIFI, "--prot=1", file);
    }

    @Test
    void keysAreGivenInOneWay() {
        assertSays("--cert and --key belong together: --key is missing", NIFI, "--cert", file, file);
        assertSays(
                "Give either --keystore or --cert and --key, not both", NIFI, "--keystore", file, "--cert", file, file);
        assertSays("Give either --truststore or --ca, not both", NIFI, "--truststore", file, "--ca", file, file);
    }

    @Test
    void aStoreIsReadable() throws Exception {
        final KeyStore empty = KeyStore.getInstance("PKCS12");
        empty.load(null, null);
        final Path store = directory.resolve("store.p12");
        try (var out = Files.newOutputStream(store)) {
            empty.store(out, "right".toCharArray());
        }
        assertSays(
                "needs a password: give --keystore-password, or set the variable S2S_KEYSTORE_PASSWORD",
                NIFI,
                "--keystore",
                store.toString(),
                file);
        assertSays(
                "The password of --keystore " + store + " is wrong",
                NIFI,
                "--keystore",
                store.toString(),
                "--keystore-password=wrong",
                file);
        assertSays("is neither PKCS #12 nor JKS", NIFI, "--keystore", file, "--keystore-password=right", file);
        assertSays("is not a file", NIFI, "--truststore", directory + "/none", "--truststore-password=right", file);
    }

    @Test
    void aPemFileContainsWhatItIsToContain() throws Exception {
        assertSays("a.txt contains no private key as PEM", NIFI, "--cert", certificate(), "--key", file, file);
        assertSays("none does not exist", NIFI, "--ca", directory + "/none", file);
        assertSays("a.txt contains no certificate", NIFI, "--ca", file, file);
        final String old = write("old.pem", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n");
        assertSays("openssl pkcs8 -topk8 -nocrypt -in " + old, NIFI, "--cert", certificate(), "--key", old, file);
        final String damaged = write("damaged.pem", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        assertSays(
                "The private key in " + damaged + " is damaged", NIFI, "--cert", certificate(), "--key", damaged, file);
    }

    private String certificate() throws Exception {
        return write("cert.pem", TestPem.certificate());
    }
}
