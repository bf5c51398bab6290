// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What varies in an experiment: values of one setting, or situations that each change several. Immutable, any thread.
 *
 * @param name  the setting, or what the situations are called together
 * @param steps the values, in the order in which they are shown
 */
public record Axis(String name, List<Step> steps) {

    private static final String ONLY = "only";
    private static final String NAME = "name";
    private static final String METRICS = "metrics";

    /**
     * One value of an axis.
     *
     * @param label    what it is called
     * @param settings what it changes
     * @param only     settings that must hold for it to be measured at all
     * @param metrics  metrics that tell most of it, by key; empty for those of the experiment
     */
    public record Step(String label, Map<String, String> settings, Map<String, String> only, List<String> metrics) {

        /** Copies what is given, in its order. */
        public Step {
            settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
            only = Collections.unmodifiableMap(new LinkedHashMap<>(only));
            metrics = List.copyOf(metrics);
        }
    }

    /** Refuses an axis without a value, and one that varies what the whole experiment has in common. */
    public Axis {
        steps = List.copyOf(steps);
        if (steps.isEmpty()) {
            throw new IllegalArgumentException("the axis '" + name + "' has no value");
        }
        for (final String key : keys(name, steps)) {
            if (Parameter.find(key)
                    .filter(found -> found.scope() == Parameter.Scope.PLAN)
                    .isPresent()) {
                throw new IllegalArgumentException(
                        "'%s' holds for the whole experiment and cannot vary in it: write --%s VALUE and measure once for each value"
                                .formatted(key, key));
            }
        }
        final Set<String> labels = new HashSet<>();
        for (final Step step : steps) {
            if (!labels.add(step.label())) {
                throw new IllegalArgumentException(
                        "the axis '%s' has two values of the name '%s', whose runs would be taken for those of one: name them apart"
                                .formatted(name, step.label()));
            }
        }
    }

    /** The settings that tell its steps apart. */
    private static Set<String> keys(final String name, final List<Step> steps) {
        final Set<String> keys = new LinkedHashSet<>();
        Parameter.find(name).ifPresent(found -> keys.add(name));
        steps.forEach(step -> keys.addAll(step.settings().keySet()));
        return keys;
    }

    public Set<String> keys() {
        return keys(name, steps);
    }

    /** Whether its steps differ in this setting. */
    public boolean changes(final String key) {
        return keys().contains(key);
    }

    /** Whether its steps differ in nothing but this setting. */
    boolean isAbout(final String key) {
        return keys().equals(Set.of(key));
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
                    "'" + text + "' is not an axis: write a setting and its values, such as clients=10,100");
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
        final String named = settings.remove(NAME);
        settings.remove(ONLY);
        settings.remove(METRICS);
        final String listed = settings.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
        return new Step(named == null ? listed : named, settings, strings(map.get(ONLY)), list(map.get(METRICS)));
    }

    private static Map<String, String> strings(final Object value) {
        final Map<String, String> strings = new LinkedHashMap<>();
        if (value instanceof final Map<?, ?> map) {
            map.forEach((key, each) -> strings.put(String.valueOf(key), String.valueOf(each)));
        }
        return strings;
    }

    /** The texts of a list of a preset; a text alone is a list of one, and what is missing is an empty list. */
    static List<String> list(final Object value) {
        if (value instanceof final List<?> list) {
            return list.stream().map(String::valueOf).toList();
        }
        if (value instanceof Map<?, ?>) {
            throw new IllegalArgumentException("'" + value + "' has to be a list of texts: write [text, text]");
        }
        return value == null ? List.of() : List.of(String.valueOf(value));
    }

    /** Whether its values make other servers rather than other loads. */
    public boolean isOfTarget() {
        return steps.stream().flatMap(step -> step.settings().keySet().stream()).anyMatch(Settings::isOfTarget);
    }

    /**
     * The same with the value that an option gives to a setting. Only the axis of that very setting can have it: the names
     * of other situations would no longer be true.
     */
    Axis fixed(final String key, final String value) {
        if (!changes(key)) {
            return this;
        }
        if (name.equals(key)) {
            final List<Step> left = steps.stream()
                    .filter(step -> value.equals(step.settings().get(key)))
                    .toList();
            if (!left.isEmpty()) {
                return new Axis(name, left);
            }
            if (keys().equals(Set.of(key))) {
                return new Axis(name, List.of(single(key, value)));
            }
        }
        throw new IllegalArgumentException(refusal(key, value));
    }

    private String refusal(final String key, final String value) {
        final String labels = steps.stream().map(Step::label).collect(Collectors.joining("; "));
        final String instead = isAbout(key)
                ? "Write --vary %s=%s to measure that in place of them".formatted(key, value)
                : "Copy the experiment (measure --show NAME) and change its situations, or --vary another setting";
        return "--%s would make the names of '%s' untrue (%s), which differ in it. %s"
                .formatted(key, name, labels, instead);
    }
}
