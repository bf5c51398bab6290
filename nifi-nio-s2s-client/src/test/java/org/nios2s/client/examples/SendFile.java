// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.examples;

import java.nio.file.Path;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.Packet;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionResult;

/** Sends a file to an input port of that name: URL of NiFi, name of the port, file. */
public final class SendFile {
    private SendFile() {}

    public static void main(final String[] args) throws Exception {
        try (SiteToSite nifi = NioSiteToSite.builder().url(args[0]).build()) {
            final TransactionResult result = nifi.inputPort(args[1])
                    .send(Packet.ofFile(Path.of(args[2])))
                    .get();
            System.out.println(result.bytes() + " bytes to " + result.peer());
        }
    }
}
