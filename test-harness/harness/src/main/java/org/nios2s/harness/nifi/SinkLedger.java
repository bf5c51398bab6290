// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.nios2s.harness.HarnessException;

/**
 * The packets that the sink of a NiFi dropped so far, by its ledger; at most some 100 ms old. Immutable; any thread.
 *
 * @param count number of FlowFiles
 * @param bytes their contents' sizes, added
 */
public record SinkLedger(long count, long bytes) {

    /** Reads the ledger in a directory; one that was never written is empty. */
    public static SinkLedger read(final Path directory) {
        final Path file = directory.resolve("ledger.json");
        try {
            final JsonNode state = RestClient.JSON.readTree(Files.readAllBytes(file));
            return new SinkLedger(
                    state.required("count").asLong(), state.required("bytes").asLong());
        } catch (final NoSuchFileException e) {
            return new SinkLedger(0, 0);
        } catch (final IOException e) {
            throw new HarnessException("Cannot read the sink's ledger " + file, e);
        }
    }

    public SinkLedger since(final SinkLedger earlier) {
        return new SinkLedger(count - earlier.count, bytes - earlier.bytes);
    }
}
