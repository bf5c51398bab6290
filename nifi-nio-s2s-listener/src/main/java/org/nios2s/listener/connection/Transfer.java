// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

/** What the steps of one push or pull share while packets are on their way. Lives on the connection's IO worker. */
public interface Transfer {
    PeerConnection connection();

    /** @return whether others wait for what it holds: then its peer makes progress or loses it */
    boolean holdsScarce();

    /** Nothing comes of it: gives back what it holds. */
    void abandon();
}
