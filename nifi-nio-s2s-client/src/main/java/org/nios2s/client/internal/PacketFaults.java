// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;

/** Tells whether a transaction may have failed at its packets, and at which. Stateless; any thread. */
final class PacketFaults {
    /** How a peer shows that it does not like what it gets. */
    private static final Set<FailureReason> OF_PACKETS = EnumSet.of(
            FailureReason.CONNECTION_LOST,
            FailureReason.PROTOCOL_VIOLATION,
            FailureReason.REFUSED,
            FailureReason.BAD_CHECKSUM,
            FailureReason.IDLE_TIMEOUT);

    private PacketFaults() {}

    static boolean isOfPackets(final TransactionException failure) {
        return (failure.step() == TransactionStep.SEND_PACKETS || failure.step() == TransactionStep.CONFIRM)
                && OF_PACKETS.contains(failure.reason());
    }

    static boolean isRefusedBefore(final TransactionException failure) {
        return Stream.of(failure.getSuppressed())
                .anyMatch(earlier -> earlier instanceof final TransactionException known && isOfPackets(known));
    }

    /** @return the one packet whose fault it is, or null */
    static BatchEntry failed(final List<BatchEntry> attempted, final Throwable cause) {
        final boolean known = cause instanceof final TransactionException failure
                && failure.failedPacket() != TransactionException.NO_PACKET
                && failure.failedPacket() < attempted.size();
        return known ? attempted.get(((TransactionException) cause).failedPacket()) : null;
    }
}
