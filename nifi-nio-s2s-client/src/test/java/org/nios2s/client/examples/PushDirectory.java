// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.examples;

import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.Packet;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionResult;

/** Pushes every file of a directory in one transaction: host, TCP port, id of the input port, directory. */
public final class PushDirectory {
    private PushDirectory() {}

    public static void main(final String[] args) throws Exception {
        final List<Packet> packets = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(args[3]), Files::isRegularFile)) {
            for (final Path file : files) {
                packets.add(Packet.ofFile(file));
            }
        }
        try (SiteToSite nifi = NioSiteToSite.builder()
                .address(args[0], Integer.parseInt(args[1]))
                .build()) {
            final TransactionResult result =
                    nifi.inputPort(args[2]).send(packets).get();
            System.out.println(result.packets() + " files, " + result.bytes() + " bytes to " + result.peer());
        }
    }
}
