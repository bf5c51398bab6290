// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

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

    final long heldBytes;
    /** Set before anybody else sees it, so those that wait are in the order of their ages. */
    long givenNanos;

    final CompletableFuture<TransactionResult> result = new CompletableFuture<>();
    /** Why its content can't be read: then its neighbours go without it. Written on an IO worker. */
    volatile TransactionException unreadable;
    /** A peer took nothing of a transaction with it. */
    boolean suspected;
    /** Of all transactions that it was in and that failed. */
    int attempts;
    /** The next transaction ends with it. */
    boolean last;
    /** Completed when the books are right, before the result, and never with a failure. */
    final CompletableFuture<Void> over = new CompletableFuture<>();

    BatchEntry(final Packet packet, final long size) {
        this.packet = packet;
        this.size = size;
        this.heldBytes = PendingLimit.heldBy(packet);
    }

    long ageNanos() {
        return System.nanoTime() - givenNanos;
    }
}
