// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.load.LoadServer;
import org.nios2s.harness.load.LoadServer.Script;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.result.ObservedServer;

/** What is said of a listener that the harness did not start. Runs on the test's thread. */
class ListenerDetectorTest {

    @Test
    void oneThatClosesAPeerWithoutTheMagicIsNio() throws IOException {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            assertEquals("nio", ListenerDetector.of(target(server.port())));
        }
    }

    @Test
    void oneThatKeepsItIsStock() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertEquals("stock", ListenerDetector.of(target(silent.getLocalPort())));
        }
    }

    @Test
    void nothingIsSaidWhereNobodyListens() throws IOException {
        final int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        assertEquals(ObservedServer.UNKNOWN, ListenerDetector.of(target(port)));
    }

    private static Target target(final int port) {
        final TargetAddress address =
                new TargetAddress(InetAddress.getLoopbackAddress().getHostAddress(), port, "port", null);
        return new Target("somewhere", address, null, null, null, List.of());
    }
}
