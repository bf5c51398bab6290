// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.site;

import java.io.IOException;
import java.util.Set;
import org.nios2s.client.internal.transaction.ListedPeer;

/** Keeps the peers of a site from one run of a program to the next. Lives on the thread for look-ups. */
public interface PeerStore {
    /** Keeps nothing. */
    PeerStore NONE = new PeerStore() {
        @Override
        public Set<ListedPeer> restore() {
            return Set.of();
        }

        @Override
        public void save(final Set<ListedPeer> peers) {
            // Nobody asked for it.
        }
    };

    /** @return the peers that were saved last; empty if there are none */
    Set<ListedPeer> restore() throws IOException;

    void save(Set<ListedPeer> peers) throws IOException;
}
