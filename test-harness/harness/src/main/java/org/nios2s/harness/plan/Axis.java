// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What varies in an experiment: values of one setting, or situations that each change several. Immutable, any thread.
 *
 * @param name  the setting, or what the situations are called together
 * @param steps the values, in the order in which they are shown
 */
public record Axis(String name, List<Step> steps) {

    private static final String ONLY = "only";
    private static final String FIGURES = "figures";

    /**
     * One value of an axis.
     *
     * @param label    what it is called
     * @param settings what it changes
     * @param only     settings that must hold for it to be measured at all
     * @param figures  figures that tell most of it, by key; empty for those of the experiment
     */
    public record Step(String label, Map<String, String> settings, Map<String, String> only, List<String> figures) {

        /** Copies what is given, in its order. */
        public Step {
            settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
            only = Collections.unmodifiableMap(new LinkedHashMap<>(only));
            figures = List.copyOf(figures);
        }

        private boolean contradicts(final String key, final String value) {
            return settings.containsKey(key) && !settings.get(key).equals(value)
                    || only.containsKey(key) && !only.get(key).equals(value);
        }
    }

    public Axis {
        steps = List.copyOf(steps);
        if (steps.isEmpty()) {
            throw new IllegalArgumentException("the axis '" + name + "' has no value");
        }
    }

    /** Reads an axis of a preset: a list of values, or of maps of settings with a name. */
    static Axis read(final String name, final Object value) {
        final List<Step> steps = new ArrayList<>();
        for (final Object each : value instanceof final List<?> list ? list : List.of(value)) {
            steps.add(each instanceof final Map<?, ?> map ? situation(map) : single(name, String.valueOf(each)));
        }
        return new Axis(name, steps);
    }

    /** Reads {@code name=value,value} of a command line. */
    public static Axis parse(final String text) {
        final int separator = text.indexOf('=');
        if (separator < 1) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no axis: write a setting and its values, as clients=10,100");
        }
        return read(
                text.substring(0, separator),
                List.of(text.substring(separator + 1).split(",")));
    }

    private static Step single(final String name, final String value) {
        final String label =
                switch (value) {
                    case "true" -> name;
                    case "false" -> "no " + name;
                    default -> value;
                };
        return new Step(label, Map.of(name, value), Map.of(), List.of());
    }

    private static Step situation(final Map<?, ?> map) {
        final Map<String, String> settings = strings(map);
        final String named = settings.remove("name");
        settings.remove(ONLY);
        settings.remove(FIGURES);
        final String listed = settings.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
        return new Step(named == null ? listed : named, settings, strings(map.get(ONLY)), list(map.get(FIGURES)));
    }

    private static Map<String, String> strings(final Object value) {
        final Map<String, String> strings = new LinkedHashMap<>();
        if (value instanceof final Map<?, ?> map) {
            map.forEach((key, each) -> strings.put(String.valueOf(key), String.valueOf(each)));
        }
        return strings;
    }

    /** The texts of a list of a preset; none when there is no list. */
    static List<String> list(final Object value) {
        return value instanceof final List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }

    /** Whether its values make other servers rather than other loads. */
    public boolean isOfTarget() {
        return steps.stream().flatMap(step -> step.settings().keySet().stream()).anyMatch(Settings::isOfTarget);
    }

    /** The same with one setting fixed: values that contradict it are left out, or, if all do, it alone is left. */
    Axis fixed(final String key, final String value) {
        final List<Step> left =
                steps.stream().filter(step -> !step.contradicts(key, value)).toList();
        return left.isEmpty() ? new Axis(name, List.of(single(key, value))) : new Axis(name, left);
    }
}
