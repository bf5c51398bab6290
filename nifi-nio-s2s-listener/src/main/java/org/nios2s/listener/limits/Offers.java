// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.HashMap;
import java.util.Map;
import org.nios2s.listener.limits.SharedResource.Part;
import org.nios2s.listener.time.NanoClock;

/**
 * What a {@link SharedResource} keeps for parts that hand out by themselves. Used under the resource's lock.
 *
 * <p>Such a part is told that something is free, and comes for it later: a port with a heavier peer must not take that first. So what
 * is free is kept for the part for three seconds. That happens once until the part has handed something out: a port whose tasks never
 * come stops no other port.
 */
final class Offers {
    private final NanoClock clock;
    private final Map<Part, Long> sinceNanos = new HashMap<>();

    Offers(final NanoClock clock) {
        this.clock = clock;
    }

    /** @return what is kept for it from now on */
    long offer(final Part part) {
        sinceNanos.putIfAbsent(part, clock.nanoTime());
        return keptFor(part);
    }

    /** The part has handed something out, or nobody waits there any more. */
    void end(final Part part) {
        sinceNanos.remove(part);
    }

    /** @return what is kept for parts whose turn is before that of this one */
    long keptBefore(final Part part) {
        long kept = 0;
        for (final Part other : sinceNanos.keySet()) {
            if (other.precedes(part)) {
                kept += keptFor(other);
            }
        }
        return kept;
    }

    private long keptFor(final Part part) {
        if (clock.nanoTime() - sinceNanos.get(part) >= Revocation.PATIENCE_NANOS) {
            return 0;
        }
        return part.firstWantsBeyondOwn();
    }
}
