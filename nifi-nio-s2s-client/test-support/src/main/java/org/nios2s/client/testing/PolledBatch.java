// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.IOException;
import java.util.Iterator;
import org.nios2s.client.ReceivedBatch;
import org.nios2s.client.ReceivedPacket;
import org.nios2s.client.TransactionResult;

/** A batch of the real client, whose end is told without the wire, too. Used by one thread at a time. */
final class PolledBatch implements ReceivedBatch {
    private final ReceivedBatch batch;
    private final ClientView client;
    private final Object pull;

    PolledBatch(final ReceivedBatch batch, final ClientView client) {
        this.batch = batch;
        this.client = client;
        this.pull = client.pull(batch.commsId());
    }

    @Override
    public String peer() {
        return batch.peer();
    }

    @Override
    public String commsId() {
        return batch.commsId();
    }

    @Override
    public Iterator<ReceivedPacket> iterator() {
        return batch.iterator();
    }

    @Override
    public long skipRest() throws IOException {
        return batch.skipRest();
    }

    @Override
    public void confirm() throws IOException {
        batch.confirm();
    }

    @Override
    public TransactionResult complete() throws IOException {
        final TransactionResult done = batch.complete();
        client.clientEnds(pull);
        return done;
    }

    @Override
    public void close() {
        batch.close();
        client.clientEnds(pull);
    }
}
