// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.examples;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.ReceivedPacket;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionResult;

/** Pulls packets into files until there are no more: host, TCP port, id of the output port, directory. */
public final class PullToFiles {
    private static final int PACKETS_PER_TRANSACTION = 100;

    private PullToFiles() {}

    public static void main(final String[] args) throws Exception {
        final Path directory = Path.of(args[3]);
        try (SiteToSite nifi = NioSiteToSite.builder()
                .address(args[0], Integer.parseInt(args[1]))
                .batchLimits(BatchLimits.none().withMaxPackets(PACKETS_PER_TRANSACTION))
                .build()) {
            TransactionResult result;
            do {
                // NiFi forgets the packets of a transaction when all of its files are there.
                result = nifi.outputPort(args[2])
                        .pull(batch -> {
                            for (final ReceivedPacket packet : batch) {
                                Files.copy(packet.content(), directory.resolve(newName()));
                            }
                        })
                        .get();
                System.out.println(result.packets() + " packets, " + result.bytes() + " bytes");
            } while (result.packets() > 0);
        }
    }

    /** A packet's own file name comes from elsewhere: it is no safe path. */
    private static String newName() {
        return UUID.randomUUID() + ".packet";
    }
}
