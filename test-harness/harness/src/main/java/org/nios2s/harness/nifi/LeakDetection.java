// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.result.ObservedServer;

/**
 * Makes the listener's Netty in a NiFi look for buffers that nobody released, and finds what it reports in NiFi's log.
 * Stateless; any thread; the search blocks it for a moment.
 */
final class LeakDetection {

    /** Set to {@code true} where every NiFi that is stopped is to be searched. */
    private static final String PROPERTY = "s2s.harness.leaks";

    /** The name of the property of the Netty that our NAR brings. */
    private static final String LEVEL = "-Dorg.nios2s.shaded.io.netty.leakDetection.level=paranoid";

    private static final String REPORT = "LEAK:";
    private static final int COLLECTIONS = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private LeakDetection() {}

    static List<String> jvmArguments() {
        return Boolean.getBoolean(PROPERTY) ? List.of(LEVEL) : List.of();
    }

    /**
     * Looks for leaks, as far as this is wanted, in a NiFi that is about to be stopped.
     *
     * @throws HarnessException when there was one
     */
    static void failOnLeaks(final ProcessHandle process, final NifiNodeInfo nifi, final NifiLog log) {
        if (!Boolean.getBoolean(PROPERTY) || !ServerThreads.listener(process).equals(ObservedServer.NIO)) {
            return;
        }
        for (int collection = 0; collection < COLLECTIONS; collection++) {
            new Jcmd(process).ask("GC.run");
            readABuffer(nifi);
        }
        final List<String> leaks = log.linesWith(REPORT);
        if (!leaks.isEmpty()) {
            throw new HarnessException(
                    leaks.size() + " leaks are reported in " + log.file() + "; the first: " + leaks.get(0));
        }
    }

    /** The detector reports buffers that were collected when a new one is made: for what a peer sends, say. */
    private static void readABuffer(final NifiNodeInfo nifi) {
        try (Socket socket = new Socket(nifi.s2sHost(), nifi.s2sPort())) {
            socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
            socket.getOutputStream().write(new byte[] {0, 0, 0, 0});
            socket.getInputStream().readAllBytes();
        } catch (final IOException e) {
            // The listener has read it all the same.
        }
    }
}
