// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

/**
 * The packets of a transaction, kept from its commit until its peer was told. Used by one thread at a time, under the lock of
 * their {@link Receipt}.
 */
public interface ReceivedPackets {
    int count();

    /** @return the sender's identifier of a packet, or null; also while the packets are written */
    String uuid(int index);

    /** @return of a packet, or null if it can't be recognized; never while the packets are written */
    Fingerprint fingerprint(int index);

    /** They are not needed any more. */
    void release();
}
