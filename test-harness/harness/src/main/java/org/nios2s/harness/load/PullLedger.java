// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.sink.Parcel;

/**
 * The ledger on the clients' side of an output port: what they got from it in all runs, since what one run leaves in the
 * queue comes in the next. Entered by every client's thread, guarded by its own monitor.
 */
public final class PullLedger {

    private final Shape shape;
    private final Map<String, BitSet> seen = new HashMap<>();
    private long received;
    private long different;
    private long withoutId;
    private long damaged;
    private String damage;

    /** @param shape what the port's source puts in: it makes all packets of one size, with one number for each transaction */
    public PullLedger(final Shape shape) {
        this.shape = shape;
    }

    /**
     * The entries until now.
     *
     * @param received  packets of finished transactions
     * @param different the same, each counted once
     * @param withoutId the same without an id: nobody knows which they are
     * @param damaged   packets that are not as they were made
     * @param damage    in which way the last of those is not, or null
     */
    public record State(long received, long different, long withoutId, long damaged, String damage) {

        public long duplicated() {
            return received - different - withoutId;
        }

        public State since(final State before) {
            return new State(
                    received - before.received,
                    different - before.different,
                    withoutId - before.withoutId,
                    damaged - before.damaged,
                    damaged == before.damaged ? null : damage);
        }
    }

    /** Enters the packets of a transaction that was finished. */
    public synchronized void enter(final List<Parcel> parcels) {
        for (final Parcel parcel : parcels) {
            received++;
            final PacketId id = parcel.id() == null ? null : PacketId.parse(parcel.id());
            final String difference = id == null
                    ? "a packet has lost its id"
                    : parcel.difference(new PacketFactory(id.run(), shape).parcel(id));
            if (difference != null) {
                damaged++;
                damage = difference;
            }
            if (id == null) {
                withoutId++;
            } else if (isNew(id)) {
                different++;
            }
        }
    }

    private boolean isNew(final PacketId id) {
        final BitSet of = seen.computeIfAbsent(id.run(), run -> new BitSet());
        final int index = Math.addExact(Math.multiplyExact(id.transaction(), shape.packets()), id.packet());
        final boolean isNew = !of.get(index);
        of.set(index);
        return isNew;
    }

    public synchronized State state() {
        return new State(received, different, withoutId, damaged, damage);
    }
}
