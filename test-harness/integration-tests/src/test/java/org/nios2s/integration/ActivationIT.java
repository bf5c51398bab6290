// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiInstallation;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.peers.TestPeer;

/**
 * Which listener serves, and what the log says about it: one clear line, whatever happens.
 * Runs on the thread of the tests; every test starts a NiFi of its own but the first.
 */
@Order(Order.DEFAULT + 2)
class ActivationIT {

    private static final String HEAP = "512m";
    private static final String OURS = "The NIO Site-to-Site listener";

    /** Of a logger below {@code org.nios2s}, however NiFi shortens it, the harness's own left out. */
    private static final Predicate<String> OURS_AT_START = Pattern.compile(
                    "^\\S+ \\S+ (INFO|WARN|ERROR) \\[main] (o|org)\\.(n|nios2s)\\.(?!h\\.|harness\\.)")
            .asPredicate();

    @Test
    void ourListenerIntroducesItselfWithItsSettings() {
        final NifiNode nifi = SharedNifi.NIO.get();

        final List<String> lines = nifi.log().linesWith(OURS + " serves plain TCP");

        assertEquals(1, lines.size());
        assertTrue(lines.getFirst().contains(" INFO "), lines::getFirst);
        assertTrue(lines.getFirst().contains("port " + nifi.info().s2sPort() + " "), lines::getFirst);
        assertTrue(lines.getFirst().contains("request.queue.size=10000"), lines::getFirst);
        assertTrue(
                lines.getFirst().contains("of NiFi " + NifiInstallation.usual().version() + " "), lines::getFirst);
    }

    /**
     * At the start NiFi's main thread activates and starts the listener. A line that says that something is missing would be easily
     * overlooked: one that a supported NiFi is to have must be added here.
     */
    @ParameterizedTest
    @EnumSource(names = {"NIO", "NIO_SECURED"})
    void aStartHasNoOtherLineOfOurs(final SharedNifi shared) {
        final List<String> lines =
                shared.get().log().lines().stream().filter(OURS_AT_START).toList();

        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().contains(" INFO "), lines::getFirst);
        assertTrue(lines.getFirst().contains(OURS + " serves "), lines::getFirst);
    }

    @Test
    void aNifiThatLacksWhatItLinksToIsOneErrorAndTheStockListenerServes() throws IOException {
        final Path original = Path.of(SharedNifi.NIO.get().info().files().home(), "lib");
        final NifiInstallation doctored = DoctoredNifi.without(
                original,
                SharedNifi.HOMES.resolve("doctored"),
                "nifi-api-",
                "org.apache.nifi.provenance.ProvenanceReporter",
                "send");
        try (NifiNode nifi = NifiNode.start(options().installation(doctored))) {
            assertOnlyLineOfOurs(
                    nifi,
                    " ERROR ",
                    "NiFi %s has no interface org.apache.nifi.provenance.ProvenanceReporter send ("
                            .formatted(doctored.version()));
            assertStockServes(nifi);
        }
    }

    @Test
    @Tag("full")
    void whereNativeLibrariesCantBeLoadedNioAndTheJdkServeAndTooLittleMemoryIsToldOf() {
        // A directory in which nobody can make a file.
        try (NifiNode nifi = NifiNode.start(options()
                .secure(true)
                .jvmArgument("-Dorg.nios2s.shaded.io.netty.native.workdir=/proc")
                .jvmArgument("-XX:MaxDirectMemorySize=16m"))) {
            assertOnlyLineOfOurs(nifi, " INFO ", "serves TLS (JDK) on port ");
            assertOnlyLineOfOurs(
                    nifi, " INFO ", " with nio (epoll does not load: java.nio.file.NoSuchFileException: /proc/");
            final List<String> shortages = nifi.log().linesWith("The settings of the listener promise too much");
            assertEquals(1, shortages.size(), shortages::toString);
            assertTrue(shortages.getFirst().contains("Set -XX:MaxDirectMemorySize=64m"), shortages::toString);
        }
    }

    private static NifiOptions options() {
        return new NifiOptions()
                .home(SharedNifi.HOMES.resolve("activation"))
                .listener(Listener.NIO)
                .heap(HEAP)
                // An older NiFi does not start on what a newer one has left there.
                .fresh(true)
                .stopOnExit(true);
    }

    private static void assertOnlyLineOfOurs(final NifiNode nifi, final String level, final String text) {
        final List<String> lines = nifi.log().linesWith(OURS);
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().contains(level), lines::getFirst);
        assertTrue(lines.getFirst().contains(text), lines::getFirst);
    }

    /** The stock listener gives every connection a thread of this name, which writes what it negotiated to the log. */
    private static void assertStockServes(final NifiNode nifi) throws IOException {
        try (TestPeer peer = Peers.atPort(nifi, nifi.portId("input"))) {
            assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.push(Map.of(), new byte[] {1}));
        }
        assertTrue(!nifi.log().linesWith("Site-to-Site Worker Thread-").isEmpty());
    }
}
