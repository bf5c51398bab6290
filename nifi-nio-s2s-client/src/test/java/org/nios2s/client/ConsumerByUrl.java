// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What a program does that knows the URL of a NiFi alone: sends, sends in batches, receives. Lives on its caller's thread, in
 * a class loader of its own, see {@link CoreClassPathTest}.
 */
public final class ConsumerByUrl {
    private ConsumerByUrl() {}

    private static Packet packet(final String content) {
        return Packet.of(Map.of("name", content), content.getBytes(StandardCharsets.UTF_8));
    }

    /** @param args the URL, the name of an input port, the name of an output port */
    public static void main(final String[] args) throws Exception {
        try (SiteToSite nifi = NioSiteToSite.builder().url(args[0]).build()) {
            nifi.inputPort(args[1]).send(packet("single")).get();
            try (BatchingSender sender = nifi.inputPort(args[1]).batching(BatchingOptions.standard())) {
                sender.sendAsync(packet("batched"));
            }
            final Optional<ReceivedBatch> batch = nifi.outputPort(args[2]).poll(Duration.ofSeconds(10));
            for (final ReceivedPacket each : batch.orElseThrow()) {
                each.bytes();
            }
            batch.orElseThrow().complete();
        }
    }
}
