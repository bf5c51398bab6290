// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.nios2s.harness.S2sHarness;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.SinkLedger;
import org.nios2s.harness.result.ResultDirectory;
import picocli.CommandLine.ExitCode;

/**
 * A NiFi that somebody else runs is measured by its web address and left as it was.
 * Runs on the thread of the tests against the shared NiFi.
 */
@ResourceLock(SharedNifi.Lock.STOCK)
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class ForeignLoadIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path results;

    @Test
    void aLoadByItsWebAddressChangesNothingInNifi() throws IOException {
        final NifiNode nifi = SharedNifi.STOCK.get();
        final SinkLedger ledger = nifi.ledger();
        final Map<String, String> before = components(nifi);

        final int exitCode = measure(nifi, "input");

        assertEquals(ExitCode.OK, exitCode);
        assertEquals(before, components(nifi));
        final Path directory;
        try (Stream<Path> directories = Files.list(results)) {
            directory = directories.findFirst().orElseThrow();
        }
        final long sent =
                ResultDirectory.read(directory).runs().getFirst().load().flowFiles();
        assertTrue(sent > 0);
        // acknowledged is not yet taken in by the sink, and a NiFi of somebody else's has no ledger to wait for
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> nifi.ledger().since(ledger).count() >= sent);
        assertEquals(sent, nifi.ledger().since(ledger).count());
    }

    @Test
    void anUnknownPortEndsItBeforeAnythingIsSent() {
        final NifiNode nifi = SharedNifi.STOCK.get();
        final SinkLedger ledger = nifi.ledger();

        assertEquals(ExitCode.SOFTWARE, measure(nifi, "output"));
        assertEquals(0, nifi.ledger().since(ledger).count());
    }

    private int measure(final NifiNode nifi, final String portName) {
        return S2sHarness.commandLine()
                .execute(
                        "measure",
                        "--url",
                        nifi.info().api(),
                        "--port-name",
                        portName,
                        "--clients",
                        "20",
                        "--duration",
                        "1s",
                        "--interval",
                        "100ms",
                        "--rounds",
                        "1",
                        "--warmup",
                        "0s",
                        "--lead",
                        "0s",
                        "--results",
                        results.toString());
    }

    /** Every component of the root group, with its revision and its whole configuration. */
    private static Map<String, String> components(final NifiNode nifi) {
        final Map<String, String> components = new TreeMap<>();
        final JsonNode flow = nifi.rest()
                .get("/flow/process-groups/root")
                .required("processGroupFlow")
                .required("flow");
        for (final String kind : new String[] {"inputPorts", "outputPorts", "processors", "connections"}) {
            for (final JsonNode entity : flow.required(kind)) {
                components.put(
                        entity.required("id").asText(),
                        entity.required("revision").toString() + entity.required("component"));
            }
        }
        return components;
    }
}
