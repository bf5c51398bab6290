// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.examples;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.nios2s.client.BatchReceiver;
import org.nios2s.client.OutputPort;
import org.nios2s.client.ReceivedPacket;

/**
 * Receives for ever into files, without duplicates after a crash: a packet that NiFi gives again has the same name, and its
 * file is replaced by itself. The flow has to give every FlowFile an attribute that names it for good.
 */
public final class ReceiveToFiles {
    private ReceiveToFiles() {}

    /** @return to be closed: then the batch in hand is finished, and no other asked for */
    public static BatchReceiver start(final OutputPort port, final String idAttribute, final Path directory) {
        return port.receive(batch -> {
            for (final ReceivedPacket packet : batch) {
                // What comes from elsewhere is no safe path.
                final String name = packet.attributes().get(idAttribute).replaceAll("[^A-Za-z0-9_-]", "_");
                final Path part = Files.createTempFile(directory, name, ".part");
                Files.copy(packet.content(), part, StandardCopyOption.REPLACE_EXISTING);
                Files.move(part, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            }
        });
    }
}
