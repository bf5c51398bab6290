// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.examples;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.Packet;
import org.nios2s.client.SiteToSite;

/** Sends small records that go in batches by themselves: URL of NiFi, name of the input port, records. */
public final class SensorRecords {
    private static final int RECORDS_PER_TRANSACTION = 500;
    private static final Duration LINGER = Duration.ofMillis(50);

    private SensorRecords() {}

    public static void main(final String[] args) throws Exception {
        final LongAdder failed = new LongAdder();
        try (SiteToSite nifi = NioSiteToSite.builder().url(args[0]).build()) {
            // Closing it sends what is left, and waits for it.
            try (BatchingSender sender = nifi.inputPort(args[1]).batching(RECORDS_PER_TRANSACTION, LINGER)) {
                for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                    final Packet record = Packet.of(Map.of("sensor", "" + i), "21.5".getBytes());
                    // Waits while too much is on its way; the future is the record's own.
                    sender.send(record).whenComplete((result, failure) -> {
                        if (failure != null) {
                            failed.increment();
                        }
                    });
                }
            }
        }
        System.out.println(args[2] + " records, " + failed + " failed");
    }
}
