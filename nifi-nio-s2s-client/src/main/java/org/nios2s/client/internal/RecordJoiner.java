// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.Packet;
import org.nios2s.client.RecordFraming;

/**
 * The step between records and FlowFiles: each record is a packet without attributes, and all of a transaction become one. Immutable;
 * any thread.
 */
final class RecordJoiner {
    private static final long MAX_FLOW_FILE_BYTES = 64L << 20;
    private static final String IDENTIFIER = "uuid";

    private final RecordFraming framing;
    private final Map<String, String> attributes;
    private final long maxBytes;

    /** @throws IllegalArgumentException if no FlowFile can be made that way */
    RecordJoiner(final RecordFraming framing, final Map<String, String> attributes, final BatchingOptions options) {
        this.framing = Objects.requireNonNull(framing, "framing");
        this.attributes = Map.copyOf(attributes);
        this.maxBytes = options.maxBytes();
        if (maxBytes > MAX_FLOW_FILE_BYTES) {
            throw new IllegalArgumentException(
                    "maxBytes is " + maxBytes + "; accepted for records: at most " + MAX_FLOW_FILE_BYTES);
        }
        if (attributes.containsKey(IDENTIFIER)) {
            // A listener that recognizes packets by it would take the second FlowFile for the first.
            throw new IllegalArgumentException(
                    "The attribute " + IDENTIFIER + " can't be given: each FlowFile of records has its own");
        }
        // Attributes that no packet may have are refused now, not with the first record.
        framing.join(attributes, List.of());
    }

    /** @return why a record can't be sent, or null */
    String objection(final byte[] record) {
        if (record == null) {
            return "The record is null";
        }
        final long framed = framing.framedLength(record.length);
        if (framed > maxBytes) {
            return "The record of " + record.length + " bytes takes " + framed + " in a FlowFile, which has at most "
                    + maxBytes + ": raise maxBytes, or send it as a packet";
        }
        try {
            framing.requireFit(record);
            return null;
        } catch (final IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    long sizeOf(final Packet record) {
        return framing.framedLength(record.size());
    }

    Packet join(final List<Packet> records) {
        // Each was asked for an objection when it was given.
        return framing.joinFitting(
                attributes,
                records.stream().map(record -> record.bytes().array()).toList());
    }
}
