// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.nios2s.client.Packet;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.internal.call.PendingLimit;

/** A packet that was given to a batching sender, and the future that waits for it. Any thread; what changes is guarded by the sender's lock. */
final class BatchEntry {
    final Packet packet;
    /** What it takes of its transaction. */
    final long size;

    /** What it takes in memory. */
    final long heldBytes;
    /** Set before anybody else sees it, so those that wait are in the order of their ages. */
    long givenNanos;

    final CompletableFuture<TransactionResult> result = new CompletableFuture<>();
    /** Why its content can't be read: then its neighbours go without it. Written on an IO worker. */
    volatile TransactionException unreadable;
    /** A peer took nothing of a transaction with it. */
    boolean suspected;
    /** Failed attempts of all transactions that it was in, but for those that failed at another's content. */
    int attempts;
    /** The next transaction ends with it. */
    boolean last;
    /** Completed when the books are right, before the result, and never with a failure. */
    final CompletableFuture<Void> over = new CompletableFuture<>();

    /** @param joiner copies it into a FlowFile; null if it is sent as it is */
    static BatchEntry of(final Packet packet, final RecordJoiner joiner) {
        final long held = PendingLimit.heldBy(packet);
        if (joiner == null) {
            return new BatchEntry(packet, packet.size(), held);
        }
        final long joined = joiner.sizeOf(packet);
        return new BatchEntry(packet, joined, held + joined);
    }

    private BatchEntry(final Packet packet, final long size, final long heldBytes) {
        this.packet = packet;
        this.size = size;
        this.heldBytes = heldBytes;
    }

    static CompletableFuture<Void> over(final List<BatchEntry> entries) {
        return CompletableFuture.allOf(entries.stream().map(entry -> entry.over).toArray(CompletableFuture[]::new));
    }

    /** Futures tell the newest of their dependents first: this one does not wait for those of the caller. */
    static CompletableFuture<Void> handedOver(final List<BatchEntry> entries) {
        return CompletableFuture.allOf(
                entries.stream().map(entry -> entry.result).toArray(CompletableFuture[]::new));
    }

    static long heldBytes(final List<BatchEntry> entries) {
        return entries.stream().mapToLong(entry -> entry.heldBytes).sum();
    }

    long ageNanos(final long now) {
        return now - givenNanos;
    }
}
