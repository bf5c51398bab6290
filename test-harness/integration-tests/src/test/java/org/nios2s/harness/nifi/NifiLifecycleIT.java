// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.HarnessException;
import org.nios2s.integration.SharedNifi;

/**
 * Starts of a NiFi that the harness refuses, one that fails, and one that is attached to.
 * Runs on the thread of the tests; it only reads of the shared NiFis.
 */
class NifiLifecycleIT {

    @Test
    void aHomeInUseIsRefused() {
        final NifiNode nifi = SharedNifi.STOCK.get();
        final NifiOptions again = SharedNifi.STOCK.options();

        final HarnessException refusal = assertThrows(HarnessException.class, () -> NifiNode.start(again));

        assertTrue(refusal.getMessage().contains("stop it with"), refusal.getMessage());
        assertTrue(nifi.isAlive());
    }

    @Test
    void attachingFindsTheSameNifiWithTheAdministratorsRights() {
        final NifiNode nifi = SharedNifi.NIO_SECURED.get();
        try (RestClient rest = NifiNode.attach(Path.of(nifi.info().files().home()))
                .orElseThrow()
                .rest()) {
            assertEquals(nifi.flow().rootGroup(), new FlowClient(rest).rootGroup());
        }
    }

    @Test
    void aPortInUseIsRefused() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            final NifiOptions options = options("port-in-use").s2sPort(other.getLocalPort());

            final HarnessException refusal = assertThrows(HarnessException.class, () -> NifiNode.start(options));

            assertTrue(refusal.getMessage().contains("is in use"), refusal.getMessage());
            assertTrue(NifiNode.attach(options.home).isEmpty());
        }
    }

    @Test
    void aStartThatFailsSaysWhyAndLeavesNothingRunning() {
        final NifiOptions options =
                options("fails").property("nifi.flowfile.repository.implementation", "org.nios2s.NoSuchRepository");

        final HarnessException failure = assertThrows(HarnessException.class, () -> NifiNode.start(options));

        assertTrue(failure.getMessage().contains("NoSuchRepository"), failure.getMessage());
        assertTrue(NifiNode.attach(options.home).isEmpty());
    }

    private static NifiOptions options(final String home) {
        return new NifiOptions()
                .home(SharedNifi.HOMES.resolve(home))
                .listener(Listener.STOCK)
                .heap("512m")
                .fresh(true)
                .stopOnExit(true);
    }
}
