// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * A few inflaters and deflaters that are not in use, so that a packet does not have to make its own: each has native memory.
 * Thread-safe; nobody waits.
 */
final class ZlibPool {
    /** The level of NiFi's sender: fastest. */
    private static final int LEVEL = Deflater.BEST_SPEED;

    /** They are in use while a packet is read or made: so few are enough, and 640 KiB at most when idle. */
    private static final int MOST_IDLE_INFLATERS = 16;

    /** Each takes six times as much. */
    private static final int MOST_IDLE_DEFLATERS = 4;

    private static final BlockingQueue<Inflater> INFLATERS = new ArrayBlockingQueue<>(MOST_IDLE_INFLATERS);
    private static final BlockingQueue<Deflater> DEFLATERS = new ArrayBlockingQueue<>(MOST_IDLE_DEFLATERS);

    private ZlibPool() {}

    static Inflater acquireInflater() {
        final Inflater idle = INFLATERS.poll();
        if (idle == null) {
            return new Inflater();
        }
        return idle;
    }

    static void release(final Inflater inflater) {
        inflater.reset();
        if (!INFLATERS.offer(inflater)) {
            inflater.end();
        }
    }

    static Deflater acquireDeflater() {
        final Deflater idle = DEFLATERS.poll();
        if (idle == null) {
            return new Deflater(LEVEL);
        }
        return idle;
    }

    static void release(final Deflater deflater) {
        deflater.reset();
        if (!DEFLATERS.offer(deflater)) {
            deflater.end();
        }
    }
}
