// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.NioRemoteSiteListener;
import org.nios2s.listener.activation.DoctoredLoader.Change;

/** The list of what the listener links to in NiFi. Lives on the test's thread. */
class NifiApiCheckTest {
    private static final Path LIST = Path.of("src/main/resources/org/nios2s/listener/activation/nifi-signatures.txt");

    private static Path classesWith(final Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @Test
    @DisplayName("the list is what the compiled classes refer to; -Dnifi.signatures.write=true writes it")
    void complete() throws Exception {
        final SortedSet<String> referred = new NifiReferences()
                .read(classesWith(NioRemoteSiteListener.class), "org/nios2s")
                .read(classesWith(NioRemoteSiteListener.class), "shim")
                .found();
        if (Boolean.getBoolean("nifi.signatures.write")) {
            Files.createDirectories(LIST.getParent());
            Files.write(LIST, referred);
        }
        assertEquals(
                String.join("\n", referred),
                String.join("\n", new TreeSet<>(Files.readAllLines(LIST))),
                "The listener links to something else in NiFi than " + LIST
                        + " says. Look whether every NiFi that docs/compatibility.md names has it, then run"
                        + " 'mvn -pl nifi-nio-s2s-listener -am test -Dtest=NifiApiCheckTest -Dnifi.signatures.write=true"
                        + " -Dsurefire.failIfNoSpecifiedTests=false'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "interface org.apache.nifi.remote.PublicPort checkUserAuthorization (Ljava/lang/String;)Lorg/apache/nifi/remote/PortAuthorizationResult;",
                "static org.apache.nifi.security.util.TlsPlatform getPreferredProtocols ()Ljava/util/Set;",
                "static-field org.apache.nifi.remote.protocol.ResponseCode PORT_NOT_IN_VALID_STATE Lorg/apache/nifi/remote/protocol/ResponseCode;",
                "constructor org.apache.nifi.remote.PeerDescription <init> (Ljava/lang/String;IZ)V",
                "method org.apache.nifi.remote.protocol.HandshakeProperties getBatchCount ()I"
            })
    @DisplayName("a member that NiFi has no more, or keeps to itself, is missing, and nothing else")
    void missing(final String signature) throws Exception {
        assertEquals(List.of(signature), NifiApiCheck.missing(new DoctoredLoader(signature, Change.REMOVED)));
        if (!signature.startsWith("interface ")) {
            assertEquals(List.of(signature), NifiApiCheck.missing(new DoctoredLoader(signature, Change.PRIVATE)));
        }
    }

    @Test
    @DisplayName("a class that NiFi has no more is missing, and all that has to do with it")
    void classMissing() throws Exception {
        final String codec = "org.apache.nifi.remote.RemoteResourceManager";
        final ClassLoader without = new ClassLoader(getClass().getClassLoader()) {
            @Override
            protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
                if (name.equals(codec)) {
                    throw new ClassNotFoundException(name);
                }
                return super.loadClass(name, resolve);
            }
        };
        assertEquals(
                List.of("class " + codec, "static " + codec + " isCodecSupported (Ljava/lang/String;I)Z"),
                NifiApiCheck.missing(without));
    }

    @Test
    @DisplayName("nothing of the list is missing in the NiFi that it is built against")
    void nothingMissing() throws IOException {
        assertEquals(List.of(), NifiApiCheck.missing(getClass().getClassLoader()));
    }
}
