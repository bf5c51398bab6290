// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

import java.util.List;

/**
 * Packets of which there is nothing left but their fingerprints, null where one has none. Immutable from its claim on.
 *
 * @param fingerprints in the order of the packets
 */
public record KnownPackets(List<Fingerprint> fingerprints) implements ReceivedPackets {
    @Override
    public int count() {
        return fingerprints.size();
    }

    @Override
    public String uuid(final int index) {
        final Fingerprint fingerprint = fingerprints.get(index);
        if (fingerprint == null) {
            return null;
        }
        return fingerprint.uuid();
    }

    @Override
    public Fingerprint fingerprint(final int index) {
        return fingerprints.get(index);
    }

    @Override
    public void release() {
        // Nothing is held but heap.
    }
}
