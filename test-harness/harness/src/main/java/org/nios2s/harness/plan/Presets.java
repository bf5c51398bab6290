// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.HarnessResource;

/**
 * Reads experiments from YAML: from the presets that the harness brings along, or from a file of the user. Stateless, any
 * thread.
 */
public final class Presets {

    /** The file in which a result keeps its experiment. */
    public static final String RESULT_FILE = "experiment.yaml";

    private static final String ABOUT = "about";
    private static final String VARY = "vary";
    private static final String METRICS = "metrics";
    private static final String THRESHOLDS = "fail-if";
    private static final String BASELINE = "baseline";
    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .build();
    private static final TypeReference<LinkedHashMap<String, Object>> ENTRIES = new TypeReference<>() {};

    private Presets() {}

    /** Names of the presets that the harness brings along. */
    public static List<String> names() {
        return HarnessResource.text(Presets.class, "presets/index.txt").lines().toList();
    }

    /** The text of a preset, for a user who wants to change it. */
    public static String text(final String name) {
        return HarnessResource.text(Presets.class, "presets/" + name + ".yaml");
    }

    /** The experiment of a preset, a file, or the directory of an earlier result; the message of an exception is for a user. */
    public static Experiment read(final String nameOrFile) {
        if (names().contains(nameOrFile)) {
            return parse(nameOrFile, text(nameOrFile));
        }
        final Path given = Path.of(nameOrFile);
        final Path file = Files.isDirectory(given) ? given.resolve(RESULT_FILE) : given;
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException("'%s' is neither a file nor a preset%s; there are %s"
                    .formatted(nameOrFile, Nearest.words(nameOrFile, names()), String.join(", ", names())));
        }
        final String name = file.endsWith(RESULT_FILE)
                ? "again"
                : file.getFileName().toString().replaceAll("\\.ya?ml$", "");
        try {
            return parse(name, Files.readString(file));
        } catch (final IOException e) {
            throw new IllegalArgumentException(file + " cannot be read: " + e, e);
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /** Reads an experiment from its text; the message of an exception is fit for a user. */
    public static Experiment parse(final String name, final String text) {
        final Map<String, Object> entries = entries(name, text);
        Settings settings = Settings.DEFAULTS;
        final List<Axis> axes = new ArrayList<>();
        for (final Map.Entry<String, Object> entry : entries.entrySet()) {
            switch (entry.getKey()) {
                case ABOUT, METRICS, THRESHOLDS, BASELINE -> settings.explicit();
                case VARY -> map(entry).forEach((axis, values) -> axes.add(Axis.read(String.valueOf(axis), values)));
                case "set" -> {
                    for (final Map.Entry<?, ?> line : map(entry).entrySet()) {
                        settings = settings.with(Settings.PROPERTY + line.getKey(), String.valueOf(line.getValue()));
                    }
                }
                default -> settings = settings.with(entry.getKey(), String.valueOf(entry.getValue()));
            }
        }
        final String about = String.valueOf(entries.getOrDefault(ABOUT, ""));
        final List<String> metrics = Axis.list(entries.get(METRICS));
        final Experiment experiment = new Experiment(
                name,
                about,
                settings,
                axes,
                metrics,
                Axis.list(entries.get(THRESHOLDS)),
                baseline(entries.get(BASELINE)));
        experiment.cells();
        return experiment;
    }

    private static Map<String, String> baseline(final Object value) {
        final Map<String, String> baseline = new LinkedHashMap<>();
        if (value instanceof final Map<?, ?> map) {
            map.forEach((key, each) -> baseline.put(String.valueOf(key), String.valueOf(each)));
        } else if (value != null) {
            throw new IllegalArgumentException(
                    "'baseline' has settings below it, such as {listener: stock}, not '" + value + "'");
        }
        return baseline;
    }

    private static Map<String, Object> entries(final String name, final String text) {
        try {
            final Map<String, Object> entries = YAML.readValue(text, ENTRIES);
            return entries == null ? Map.of() : entries;
        } catch (final MismatchedInputException e) {
            throw new IllegalArgumentException(name + " has to consist of lines 'name: value'", e);
        } catch (final JsonProcessingException e) {
            throw new IllegalArgumentException(
                    name + " cannot be read as 'name: value' lines of YAML: " + e.getOriginalMessage(), e);
        }
    }

    /** An experiment as a file that repeats it. */
    public static String write(final Experiment experiment) {
        final Map<String, Object> entries = new LinkedHashMap<>();
        entries.put(ABOUT, experiment.about());
        entries.putAll(experiment.base().explicit());
        final Map<String, Object> axes = new LinkedHashMap<>();
        for (final Axis axis : experiment.axes()) {
            axes.put(axis.name(), axis.steps().stream().map(Presets::step).toList());
        }
        entries.put(VARY, axes);
        entries.put(METRICS, experiment.metrics());
        entries.put(THRESHOLDS, experiment.thresholds());
        if (!experiment.baseline().isEmpty()) {
            entries.put(BASELINE, experiment.baseline());
        }
        return HarnessException.attempt(
                e -> "Strings cannot be written as YAML: " + e, () -> YAML.writeValueAsString(entries));
    }

    private static Map<String, Object> step(final Axis.Step step) {
        final Map<String, Object> entries = new LinkedHashMap<>();
        entries.put("name", step.label());
        entries.putAll(step.settings());
        if (!step.only().isEmpty()) {
            entries.put("only", step.only());
        }
        if (!step.metrics().isEmpty()) {
            entries.put(METRICS, step.metrics());
        }
        return entries;
    }

    private static Map<?, ?> map(final Map.Entry<String, Object> entry) {
        if (entry.getValue() instanceof final Map<?, ?> map) {
            return map;
        }
        throw new IllegalArgumentException("'" + entry.getKey() + "' has lines 'name: value' below it");
    }
}
