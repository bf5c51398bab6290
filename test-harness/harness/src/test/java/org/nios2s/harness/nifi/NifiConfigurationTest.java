// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;

/**
 * What ends up in a NiFi's {@code conf}.
 * On the test's thread.
 */
class NifiConfigurationTest {

    private static final String PROVIDER = "nifi.nar.library.provider.nio-s2s.implementation";
    private static final int HTTP_PORT = 8080;
    private static final int S2S_PORT = 10443;

    @TempDir
    private Path directory;

    @Test
    void theNioListenerIsActivatedByOneProperty() {
        assertEquals(
                "org.nios2s.listener.activation.NioSiteToSiteProvider",
                configuration(options().listener(Listener.NIO)).get(PROVIDER));
        assertNull(configuration(options().listener(Listener.STOCK)).get(PROVIDER));
    }

    @Test
    void theUsersPropertiesWinOverTheHarnesss() {
        final NifiConfiguration configuration = configuration(options()
                .property("nifi.remote.input.socket.port", "")
                .property("nifi.provenance.repository.implementation", "Volatile")
                .property("nifi.remote.input.nio.enabled", "false"));

        assertNull(configuration.s2sPort());
        assertEquals("Volatile", configuration.get("nifi.provenance.repository.implementation"));
        assertEquals("false", configuration.get("nifi.remote.input.nio.enabled"));
    }

    @Test
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void aSystemPropertySetsAKeyOfEachNifi() {
        System.setProperty(NifiOptions.PROPERTY, "nifi.example=a=b");
        try {
            assertEquals("a=b", configuration(options()).get("nifi.example"));
            assertEquals(
                    "c", configuration(options().property("nifi.example", "c")).get("nifi.example"));
        } finally {
            System.clearProperty(NifiOptions.PROPERTY);
        }
    }

    @Test
    void everythingListensOnLoopback() {
        final NifiConfiguration configuration = configuration(options());

        assertEquals("http://127.0.0.1:8080/nifi-api", configuration.api());
        assertEquals("127.0.0.1", configuration.get("nifi.remote.input.host"));
        assertEquals(S2S_PORT, configuration.s2sPort());
    }

    @Test
    void pythonIsLeftOutAndTheSensitiveKeyIsSet() {
        final NifiConfiguration configuration = configuration(options());

        assertNull(configuration.get("nifi.python.command"));
        assertNotNull(configuration.get("nifi.sensitive.props.key"));
    }

    @Test
    void nifiReadsBackWhatIsWritten() throws IOException {
        configuration(options().property("some.path", "C:\\a=b #c")).write(directory);

        final Properties written = new Properties();
        try (Reader reader = Files.newBufferedReader(directory.resolve("nifi.properties"))) {
            written.load(reader);
        }
        assertEquals("C:\\a=b #c", written.getProperty("some.path"));
        assertTrue(Files.exists(directory.resolve("logback.xml")));
        assertTrue(Files.exists(directory.resolve("state-management.xml")));
    }

    @Test
    void aSecuredNifiHasNoPlainPort() {
        final SecurityFiles security = SecurityFiles.ensure(directory.resolve("security"));

        final NifiConfiguration configuration = NifiConfiguration.of(options(), HTTP_PORT, S2S_PORT, security, null);

        assertEquals("https://localhost:8080/nifi-api", configuration.api());
        assertEquals("", configuration.get("nifi.web.http.port"));
        assertEquals("true", configuration.get("nifi.remote.input.secure"));
        assertEquals("managed-authorizer", configuration.get("nifi.security.user.authorizer"));
        assertEquals(security.password(), configuration.get("nifi.security.keystorePasswd"));
    }

    @Test
    void everyIdentityIsAUserOfASecuredNifi() throws IOException {
        final SecurityFiles security = SecurityFiles.ensure(directory.resolve("security"));
        NifiConfiguration.of(options(), HTTP_PORT, S2S_PORT, security, null).write(directory);

        final String authorizers = Files.readString(directory.resolve("authorizers.xml"));
        for (final Identity identity : Identity.values()) {
            assertTrue(authorizers.contains(">" + identity.distinguishedName() + "<"), identity.toString());
        }
    }

    @Test
    void aNodeKnowsItsClusterAndOnlyTheFirstRunsZookeeper() throws IOException {
        final ClusterMembership second = new ClusterMembership(2, 21_001, 21_002, 21_003, false);
        final NifiConfiguration configuration = NifiConfiguration.of(options(), HTTP_PORT, S2S_PORT, null, second);
        configuration.write(directory);

        assertEquals("true", configuration.get("nifi.cluster.is.node"));
        assertEquals("21001", configuration.get("nifi.cluster.node.protocol.port"));
        assertEquals("21002", configuration.get("nifi.cluster.load.balance.port"));
        assertEquals("127.0.0.1:21003", configuration.get("nifi.zookeeper.connect.string"));
        assertEquals("2", configuration.get("nifi.cluster.flow.election.max.candidates"));
        assertEquals("false", configuration.get("nifi.state.management.embedded.zookeeper.start"));
        assertTrue(Files.readString(directory.resolve("state-management.xml")).contains(">127.0.0.1:21003<"));
    }

    private static NifiConfiguration configuration(final NifiOptions options) {
        return NifiConfiguration.of(options, HTTP_PORT, S2S_PORT, null, null);
    }

    private static NifiOptions options() {
        return new NifiOptions().home(Path.of("home"));
    }
}
