// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The name of one packet, unique in a run, carried as an attribute so that the sink can account for it. Immutable.
 *
 * @param run         name of the run
 * @param client      number of the logical client, from 0
 * @param transaction number of the client's transaction, from 0
 * @param packet      number of the packet in it, from 0
 */
public record PacketId(String run, int client, int transaction, int packet) {

    private static final String SEPARATOR = "-";
    private static final int PARTS = 4;
    private static final AtomicInteger RUNS = new AtomicInteger();

    /** A name for a run, short and unlike that of any earlier run on the same NiFi: letters and digits only. */
    public static String newRun() {
        return "r" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) + "x" + RUNS.incrementAndGet();
    }

    /** Reads an id back: the id, or null when the text is no packet id of a run. */
    public static PacketId parse(final String text) {
        final String[] parts = text.split(SEPARATOR, -1);
        if (parts.length != PARTS) {
            return null;
        }
        try {
            return new PacketId(
                    parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2]), Integer.parseInt(parts[3]));
        } catch (final NumberFormatException e) {
            return null;
        }
    }

    @Override
    public String toString() {
        return run + SEPARATOR + client + SEPARATOR + transaction + SEPARATOR + packet;
    }
}
