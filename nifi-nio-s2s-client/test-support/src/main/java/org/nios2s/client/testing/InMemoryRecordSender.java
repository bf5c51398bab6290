// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Packet;
import org.nios2s.client.RecordFraming;
import org.nios2s.client.RecordSender;
import org.nios2s.client.TransactionResult;

/** Makes a FlowFile of each record at once. Any thread; {@code send} blocks while too many are pending. */
final class InMemoryRecordSender implements RecordSender {
    private final InMemoryBatchingSender sender;
    private final RecordFraming framing;
    private final Map<String, String> attributes;
    private final long maxBytes;

    InMemoryRecordSender(
            final InMemoryBatchingSender sender,
            final RecordFraming framing,
            final Map<String, String> attributes,
            final BatchingOptions options) {
        this.sender = sender;
        this.framing = framing;
        this.attributes = Map.copyOf(attributes);
        this.maxBytes = options.maxBytes();
    }

    @Override
    public CompletableFuture<TransactionResult> send(final byte[] record) throws InterruptedIOException {
        return send(record, InMemoryBatchingSender.FOR_EVER);
    }

    @Override
    public CompletableFuture<TransactionResult> send(final byte[] record, final Duration max)
            throws InterruptedIOException {
        final String objection = objection(record);
        return objection == null ? sender.send(packet(record), heldBytes(record), max) : refused(objection);
    }

    @Override
    public CompletableFuture<TransactionResult> sendAsync(final byte[] record) {
        final String objection = objection(record);
        return objection == null ? sender.sendAsync(packet(record), heldBytes(record)) : refused(objection);
    }

    private @Nullable String objection(final byte[] record) {
        if (record == null) {
            return "The record is null";
        }
        if (framing.framedLength(record.length) > maxBytes) {
            return "The record of " + record.length + " bytes is larger than a FlowFile may be, " + maxBytes;
        }
        try {
            framing.requireFit(record);
            return null;
        } catch (final IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    private Packet packet(final byte[] record) {
        return framing.join(attributes, List.of(record));
    }

    /** The record, and its copy in the FlowFile. */
    private long heldBytes(final byte[] record) {
        return record.length + framing.framedLength(record.length);
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
