// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.examples;

import org.nios2s.client.BatchReceiver;
import org.nios2s.client.OutputPort;
import org.nios2s.client.ReceivedPacket;

/** Relays packets to something with transactions, such as Kafka: what NiFi forgot was committed there. */
public final class TwoPhaseRelay {
    private TwoPhaseRelay() {}

    /** What a producer with transactions offers; one per batch that is handled at a time. */
    public interface Transactions {
        void begin();

        void write(byte[] record);

        void commit();

        void abort();
    }

    /** @return to be closed: then the batch in hand is finished, and no other asked for */
    public static BatchReceiver start(final OutputPort port, final Transactions producer) {
        return port.receive(batch -> {
            producer.begin();
            try {
                for (final ReceivedPacket packet : batch) {
                    producer.write(packet.bytes());
                }
                // Both ends have the same bytes: from here on a crash or a lost connection makes duplicates.
                batch.confirm();
                producer.commit();
            } catch (final Exception e) {
                producer.abort(); // NiFi keeps the batch and gives it again.
                throw e;
            }
        });
    }
}
