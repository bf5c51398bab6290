// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;

/**
 * The directory that one command leaves behind: result.json, a CSV with its index line and a latency log per run. Used
 * on the command's thread.
 *
 * @param path where it is
 */
public record ResultDirectory(Path path) {

    private static final String JSON_FILE = "result.json";
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd_HHmmss", Locale.ROOT);
    private static final int MAX_NAMES = 100;
    static final ObjectMapper JSON = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            // A result of a newer harness may say more than this one knows.
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS, SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    /** Makes a new directory, named after the time and the experiment: the directory. */
    public static ResultDirectory create(final Path parent, final String experiment) throws IOException {
        Files.createDirectories(parent);
        final String name = TIME.format(LocalDateTime.now(ZoneId.systemDefault())) + "_" + experiment;
        for (int number = 1; number < MAX_NAMES; number++) {
            final Path candidate = parent.resolve(number == 1 ? name : name + "_" + number);
            try {
                return new ResultDirectory(Files.createDirectory(candidate));
            } catch (final FileAlreadyExistsException e) {
                // Another command began in the same second: the next name is ours.
            }
        }
        throw new IOException("no free name like " + parent.resolve(name));
    }

    /** The directory of a run in that of its result. */
    public static String part(final RunResult.Place place) {
        return place.toString().replaceAll("[^\\w.#-]+", "_");
    }

    /** Writes the CSV of a run with its index line, and its times in HdrHistogram's log format. */
    public void addRun(
            final String part, final LoadSettings settings, final LoadOutcome outcome, final LatencyLog latencies)
            throws IOException {
        final Path home = Files.createDirectories(path.resolve(part));
        latencies.write(home.resolve("latencies.hlog"));
        final Path csv = home.resolve(ScaleCsv.fileName(outcome, ZoneId.systemDefault()));
        Files.write(csv, ScaleCsv.lines(outcome));
        final String name = path.relativize(csv).toString();
        Files.write(
                path.resolve("index.md"),
                List.of(ScaleCsv.indexLine(name, settings, outcome)),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** Writes everything that was found out, and the settings once more so that they can be used again. */
    public void finish(final ExperimentResult result) throws IOException {
        write(JSON_FILE, JSON.writeValueAsString(result));
    }

    /** Writes a file, all of it or not at all. */
    public void write(final String name, final String text) throws IOException {
        final Path part = path.resolve(name + ".part");
        Files.writeString(part, text);
        Files.move(part, path.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    public static ExperimentResult read(final Path directory) throws IOException {
        return JSON.readValue(directory.resolve(JSON_FILE).toFile(), ExperimentResult.class);
    }
}
