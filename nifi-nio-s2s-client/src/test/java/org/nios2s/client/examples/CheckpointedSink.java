// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.examples;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.InputPort;
import org.nios2s.client.Packet;

/** A sink as Flink wants one, at least once: before a checkpoint all is flushed, and a failure fails the checkpoint. */
public final class CheckpointedSink implements AutoCloseable {
    private final BatchingSender sender;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    public CheckpointedSink(final InputPort port) {
        sender = port.batching(BatchingOptions.standard());
    }

    public void write(final byte[] record) throws IOException {
        sender.send(Packet.of(Map.of(), record)).whenComplete((result, thrown) -> failure.compareAndSet(null, thrown));
    }

    /** Before a checkpoint: everything written until now is in NiFi, or the job starts again from the last checkpoint. */
    public void flush() throws IOException {
        sender.flush().join();
        if (failure.get() != null) {
            throw new IOException("Records did not reach NiFi", failure.get());
        }
    }

    @Override
    public void close() {
        sender.close();
    }
}
