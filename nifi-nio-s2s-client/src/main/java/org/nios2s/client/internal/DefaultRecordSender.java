// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Packet;
import org.nios2s.client.RecordSender;
import org.nios2s.client.TransactionResult;

/** Gives records to a batching sender that joins them. Any thread. */
final class DefaultRecordSender implements RecordSender {
    private final DefaultBatchingSender sender;
    private final RecordJoiner joiner;

    DefaultRecordSender(final DefaultBatchingSender sender, final RecordJoiner joiner) {
        this.sender = sender;
        this.joiner = joiner;
    }

    @Override
    public CompletableFuture<TransactionResult> send(final byte[] record) throws InterruptedIOException {
        final String objection = joiner.objection(record);
        return objection == null ? sender.send(packet(record)) : refused(objection);
    }

    @Override
    public CompletableFuture<TransactionResult> send(final byte[] record, final Duration max)
            throws InterruptedIOException {
        final String objection = joiner.objection(record);
        return objection == null ? sender.send(packet(record), max) : refused(objection);
    }

    @Override
    public CompletableFuture<TransactionResult> sendAsync(final byte[] record) {
        final String objection = joiner.objection(record);
        return objection == null ? sender.sendAsync(packet(record)) : refused(objection);
    }

    private static Packet packet(final byte[] record) {
        return Packet.of(Map.of(), record);
    }

    private CompletableFuture<TransactionResult> refused(final String objection) {
        return sender.refused(FailureReason.CONTENT_FAILED, objection);
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        return sender.whenWritable();
    }

    @Override
    public int pendingRecords() {
        return sender.pendingPackets();
    }

    @Override
    public CompletableFuture<Void> flush() {
        return sender.flush();
    }

    @Override
    public void close() {
        sender.close();
    }

    @Override
    public boolean close(final Duration max) {
        return sender.close(max);
    }
}
