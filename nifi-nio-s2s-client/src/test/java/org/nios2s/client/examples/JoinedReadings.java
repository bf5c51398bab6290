// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.RecordFraming;
import org.nios2s.client.RecordSender;
import org.nios2s.client.SiteToSite;

/** Sends JSON records, thousands of them in a FlowFile: URL of NiFi, name of the input port, records. */
public final class JoinedReadings {
    private JoinedReadings() {}

    public static void main(final String[] args) throws Exception {
        final LongAdder failed = new LongAdder();
        try (SiteToSite nifi = NioSiteToSite.builder().url(args[0]).build()) {
            final Map<String, String> attributes = Map.of("filename", "readings.json");
            // Closing it sends what is left, and waits for it.
            try (RecordSender sender = nifi.inputPort(args[1]).joining(RecordFraming.ndjson(), attributes)) {
                for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                    final String reading = "{\"sensor\":" + i + ",\"celsius\":21.5}";
                    // Waits while too much is on its way; the future is the record's own.
                    sender.send(reading.getBytes(UTF_8)).whenComplete((result, failure) -> {
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
