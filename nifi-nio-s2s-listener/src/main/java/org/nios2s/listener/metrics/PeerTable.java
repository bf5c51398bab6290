// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.metrics;

import java.util.Map;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;
import javax.management.openmbean.TabularData;
import javax.management.openmbean.TabularDataSupport;
import javax.management.openmbean.TabularType;
import org.nios2s.wire.LogText;

/**
 * A figure of each of some peers as JMX's table, as which Prometheus' exporter can read it. Stateless; any thread.
 */
final class PeerTable {
    private static final String PEER = "peer";
    /** The exporter gives a column of this name the attribute's own name. */
    private static final String VALUE = "value";

    private static final String[] COLUMNS = {PEER, VALUE};
    private static final TabularType TYPE = type();

    private PeerTable() {}

    private static TabularType type() {
        try {
            final CompositeType row = new CompositeType(
                    "PeerFigure",
                    "A figure of a peer",
                    COLUMNS,
                    new String[] {"Identity or address", "Figure"},
                    new OpenType<?>[] {SimpleType.STRING, SimpleType.LONG});
            return new TabularType("PeerFigures", "A figure of each peer", row, new String[] {PEER});
        } catch (final OpenDataException e) {
            throw new IllegalStateException("The type of the table of peers is wrong", e);
        }
    }

    static TabularData of(final Map<String, Long> figures) {
        final TabularData table = new TabularDataSupport(TYPE);
        figures.forEach((peer, figure) -> put(table, LogText.of(peer), figure));
        return table;
    }

    private static void put(final TabularData table, final String peer, final long figure) {
        final Object[] key = {peer};
        if (table.containsKey(key)) {
            // Two names that differ only behind what a text may have at most: the first one has the larger figure.
            return;
        }
        try {
            table.put(new CompositeDataSupport(TYPE.getRowType(), COLUMNS, new Object[] {peer, figure}));
        } catch (final OpenDataException e) {
            throw new IllegalStateException("A row of the table of peers is wrong", e);
        }
    }
}
