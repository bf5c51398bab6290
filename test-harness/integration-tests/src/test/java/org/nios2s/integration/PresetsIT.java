// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nios2s.harness.S2sHarness;
import picocli.CommandLine.ExitCode;

/**
 * A short form of a preset for every probe and every kind of target of the harness, end to end.
 * Runs on the thread of the tests; every measurement starts and stops its NiFi.
 */
@Order(1)
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class PresetsIT {

    private static final String PROJECT = "s2s.harness.project";
    private static final double BYTES_PER_MB = 1e6;

    @TempDir
    private Path results;

    private static String before;

    @BeforeAll
    static void homesBelowTarget() {
        before = System.setProperty(
                PROJECT, Path.of("target", "presets").toAbsolutePath().toString());
    }

    @AfterAll
    static void asItWas() {
        if (before == null) {
            System.clearProperty(PROJECT);
        } else {
            System.setProperty(PROJECT, before);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "s2s_slow_peers, slow-peers --duration 1s --vary slow-peers=5",
        "s2s_idle_heap, --duration 1s --interval 100ms --idle-peers 50 --clients 50",
        "s2s_triggers, busy-ports --duration 1s --ports 3 --pool 4 --clients 9",
        "s2s_equal, --large --live-heap --size 4m --clients 2",
        "s2s_live_heap, soak --laps 4 --requests 200",
        "s2s_rate, --duration 1s --client inside --commit 10",
        "s2s_mb, pull --duration 1s --size 100b --gzip true",
        "s2s_between_percent, handoff --route stored --size 1b --requests 20 --vary rate=100",
    })
    void aPresetIsMeasuredToItsEnd(final String figure, final String options) throws IOException {
        final String metrics = measure(options);
        assertTrue(metrics.contains(figure + "{"), metrics);
    }

    @Test
    void whatIsPulledHasTheSizeOfItsRow() throws IOException {
        final String metrics = measure("pull --duration 1s --vary size=100b,2k --gzip false");
        for (final long size : List.of(100, 2_048)) {
            final String row = size == 100 ? "size 100b" : "size 2k";
            final double flowFiles = figure(metrics, "s2s_flowfiles", row);
            assertEquals(size, figure(metrics, "s2s_mb", row) * BYTES_PER_MB / flowFiles, 1, metrics);
        }
    }

    private static double figure(final String metrics, final String name, final String row) {
        final String line = metrics.lines()
                .filter(candidate -> candidate.startsWith(name + "{") && candidate.contains(row))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " of " + row + " in " + metrics));
        return Double.parseDouble(line.substring(line.lastIndexOf(' ')));
    }

    private String measure(final String options) throws IOException {
        final StringWriter out = new StringWriter();
        final List<String> arguments = new ArrayList<>(List.of("measure", "--listener", "nio"));
        arguments.addAll(
                List.of("--heap", "512m", "--rounds", "1", "--warmup", "500ms", "--settle", "500ms", "--wait"));
        arguments.addAll(List.of("--results", results.toString()));
        arguments.addAll(List.of(options.split(" ")));

        final int code = S2sHarness.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out))
                .execute(arguments.toArray(String[]::new));

        assertEquals(ExitCode.OK, code, out::toString);
        try (Stream<Path> directories = Files.list(results)) {
            return Files.readString(directories.findFirst().orElseThrow().resolve("metrics.txt"));
        }
    }
}
