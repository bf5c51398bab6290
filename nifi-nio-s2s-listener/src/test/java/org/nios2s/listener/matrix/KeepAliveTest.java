// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.peers.TestPeer;

/** What Linux tells of the sockets of a listener whose peers are silent. Lives on the test's thread. */
@EnabledOnOs(OS.LINUX)
class KeepAliveTest {
    private static final List<Path> SOCKETS = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    /** The timer that runs for a socket, and when it ends, in hundredths of a second: 2 is that of SO_KEEPALIVE. */
    private static final String KEEP_ALIVE_TIMER = "02";

    private static final int TIMER_FIELD = 5;
    private static final int RADIX = 16;
    private static final int LONGEST_HUNDREDTHS = 120 * 100;

    @ParameterizedTest
    @EnumSource(names = {"PLAIN_EPOLL", "PLAIN_NIO", "BORINGSSL_EPOLL", "JDK_TLS_NIO"})
    @DisplayName("the kernel looks after two minutes whether a silent peer is still there")
    void silentPeer(final Variant variant) throws Exception {
        try (MatrixListener listener = new MatrixListener(variant);
                TestPeer peer = listener.connect()) {
            peer.shakeHands(MatrixListener.INPUT_PORT, listener.properties());
            MatrixListener.awaiting().until(() -> isWatched(listener.port(), peer.localPort()));
        }
    }

    private static boolean isWatched(final int local, final int remote) throws IOException {
        for (final Path sockets : SOCKETS) {
            try (Stream<String> lines = Files.lines(sockets)) {
                if (lines.map(line -> line.trim().split("\\s+"))
                        .filter(fields -> fields[1].endsWith(hex(local)) && fields[2].endsWith(hex(remote)))
                        .anyMatch(KeepAliveTest::isWatched)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isWatched(final String... fields) {
        final String[] timer = fields[TIMER_FIELD].split(":");
        return timer[0].equals(KEEP_ALIVE_TIMER) && Long.parseLong(timer[1], RADIX) <= LONGEST_HUNDREDTHS;
    }

    private static String hex(final int port) {
        return String.format(Locale.ROOT, ":%04X", port);
    }
}
