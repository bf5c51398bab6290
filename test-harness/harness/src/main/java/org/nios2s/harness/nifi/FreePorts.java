// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.nios2s.harness.HarnessException;

/**
 * TCP ports that nothing listens on, each given once until all the others have been. For any thread.
 *
 * <p>A NiFi opens its last port half a minute after its first was chosen: until then a port looks free to everybody.
 *
 * <p>They come from below the range from which operating systems take the local ports of outgoing connections, so that
 * a NiFi can be restarted on its port while thousands of clients connect.
 */
public final class FreePorts {

    private static final int FIRST = 20_000;
    private static final int LAST = 32_000;
    private static final int ATTEMPTS = 200;
    private static final AtomicInteger GIVEN =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(LAST - FIRST + 1));

    private FreePorts() {}

    static int settle(final int wish, final String purpose) {
        if (wish == 0) {
            return any();
        }
        if (!isFree(wish)) {
            throw new HarnessException(
                    "Port %d (%s) is in use: choose another one, or 0 for any free port".formatted(wish, purpose));
        }
        return wish;
    }

    /** A port that was free a moment ago. */
    public static int any() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            final int port = FIRST + Math.floorMod(GIVEN.incrementAndGet(), LAST - FIRST + 1);
            if (isFree(port)) {
                return port;
            }
        }
        throw new HarnessException(
                "Found no free port between %d and %d in %d attempts".formatted(FIRST, LAST, ATTEMPTS));
    }

    /** Whether neither loopback nor any other address of this machine has a listener on a port. */
    static boolean isFree(final int port) {
        return canBind(new InetSocketAddress(port))
                && canBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    private static boolean canBind(final InetSocketAddress address) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
            return true;
        } catch (final IOException e) {
            return false;
        }
    }
}
