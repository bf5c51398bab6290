// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.List;
import org.nios2s.harness.sink.Parcel;

/**
 * The amount that a transaction has moved. Immutable; any thread.
 *
 * @param flowFiles how many FlowFiles
 * @param bytes     their contents' sizes, added
 * @param received  what the client found in each, when it was the one to get them; otherwise empty
 */
public record Transferred(long flowFiles, long bytes, List<Parcel> received) {

    public static Transferred sent(final long flowFiles, final long bytes) {
        return new Transferred(flowFiles, bytes, List.of());
    }

    public static Transferred received(final List<Parcel> parcels) {
        return new Transferred(
                parcels.size(), parcels.stream().mapToLong(Parcel::bytes).sum(), parcels);
    }
}
