// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

/** Where a conversation begins and where it returns to between requests. Immutable; any thread. */
public interface Conversation {
    /** @return the step in which a connection begins */
    Step begins(PeerConnection connection);

    /** @return the step in which the peer's next request is awaited */
    Step awaitsRequest(PeerConnection connection);
}
