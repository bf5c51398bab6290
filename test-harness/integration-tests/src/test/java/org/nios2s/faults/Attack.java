// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.time.Duration;
import java.util.Iterator;
import java.util.function.IntFunction;

/**
 * What many peers do to harm a NiFi: each says its pieces, one after another, and reads answers or doesn't.
 * Immutable, for any thread.
 *
 * @param name  for the report
 * @param peers how many there are, each with a connection
 * @param pace  from one piece to the next; zero: as fast as the listener takes them
 * @param reads whether answers are read
 * @param says  the pieces of a peer, by its number; may have no end
 */
record Attack(String name, int peers, Duration pace, boolean reads, IntFunction<Iterator<byte[]>> says) {

    /** The same attack from another number of peers. */
    Attack by(final int count) {
        return new Attack(name, count, pace, reads, says);
    }

    @Override
    public String toString() {
        return name + ", " + peers + " peers";
    }
}
