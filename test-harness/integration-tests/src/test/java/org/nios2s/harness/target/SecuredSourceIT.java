// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.integration.SharedNifi;

/** What there is to be pulled from a secured NiFi, as the harness knows it. Runs on the thread of the tests. */
@ResourceLock(SharedNifi.Lock.NIO_SECURED)
class SecuredSourceIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Shape SHAPE = Shape.push(1, 100_000);
    private static final long MAX_BYTES = 1_000_000;
    private static final String PORT = "pulled-over-tls";

    @Test
    void whatASourceHasMadeIsKnownAndLeftToNobodyElse() {
        final NifiNode nifi = SharedNifi.NIO_SECURED.get();
        final FlowClient flow = nifi.flow();
        final FlowFileSource source = FlowFileSource.intoPort(nifi, PORT, 1, MAX_BYTES, true);
        final Component queue =
                flow.findConnection(source.source(), source.destination()).orElseThrow();
        try {
            source.start(SHAPE);
            Awaitility.await().atMost(PATIENCE).until(() -> source.queued() > 0);
            source.stop();
            Awaitility.await().atMost(PATIENCE).until(() -> source.made() * SHAPE.packets() == source.queued());

            // A second measurement of the same NiFi finds nothing of the first.
            final FlowFileSource next = FlowFileSource.intoPort(nifi, PORT, 1, MAX_BYTES, true);
            assertEquals(source, next);
            assertEquals(0, next.queued());
        } finally {
            source.stop();
            flow.stop(source.destination());
            nifi.flow().empty(queue);
            flow.delete(queue);
            flow.delete(source.source());
            flow.delete(source.destination());
        }
    }
}
