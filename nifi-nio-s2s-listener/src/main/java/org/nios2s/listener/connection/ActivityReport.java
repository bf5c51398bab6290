// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import org.nios2s.listener.limits.ConnectionLimit;
import org.nios2s.listener.limits.ConnectionLimit.Activity;

/** Reports to the limit of connections the activity of one connection, so that an idle one can be evicted. Lives on its IO worker. */
final class ActivityReport {
    private final ConnectionLimit limit;
    private final ConnectionLimit.Evictable member;
    private Activity last = Activity.BUSY;

    ActivityReport(final ConnectionLimit limit, final ConnectionLimit.Evictable member) {
        this.limit = limit;
        this.member = member;
    }

    void entered(final Step step) {
        final Activity before = last;
        last = of(step);
        // The limit's lock is shared by all connections, and from
        // one step of a transaction to the next nothing changes.
        if (last != Activity.BUSY || before != Activity.BUSY) {
            limit.set(member, last);
        }
    }

    private static Activity of(final Step step) {
        if (!step.isEvictable()) {
            return Activity.BUSY;
        }
        if (step.isWaiting()) {
            return Activity.WAITING;
        }
        return Activity.IDLE;
    }
}
