// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The settings of a command in force, defaults included, by the names of its options. Stateless, any thread.
 */
final class EffectiveConfig {

    private static final String DASHES = "--";

    /** Options that say nothing about what is measured. */
    private static final Set<String> LEFT_OUT = Set.of("help", "version", "results", "config", "password");

    /** Part of the names of options whose values are written nowhere. */
    private static final String SECRET = "password";

    private EffectiveConfig() {}

    /**
     * The settings of a command whose arguments have been read.
     *
     * @param command the command
     * @return values by name, written as on the command line; an option that is not given and has no default is left out
     */
    static Map<String, Object> of(final CommandSpec command) {
        final Map<String, Object> settings = new LinkedHashMap<>();
        for (final OptionSpec option : command.options()) {
            final Object value = option.getValue();
            if (isSetting(option) && value != null && !isEmpty(value)) {
                settings.put(name(option), written(value));
            }
        }
        return settings;
    }

    /** Whether an option says what is measured, and may stand in a file. */
    static boolean isSetting(final OptionSpec option) {
        return !LEFT_OUT.contains(name(option)) && !name(option).contains(SECRET);
    }

    /** Name of an option without its dashes. */
    static String name(final OptionSpec option) {
        final String longest = option.longestName();
        return longest.startsWith(DASHES) ? longest.substring(DASHES.length()) : longest;
    }

    private static boolean isEmpty(final Object value) {
        return (value instanceof final Collection<?> many && many.isEmpty())
                || (value instanceof final Map<?, ?> map && map.isEmpty());
    }

    private static Object written(final Object value) {
        return switch (value) {
            case final Duration time -> written(time);
            case final Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT);
            case final Map<?, ?> map -> {
                final Map<String, Object> copy = new TreeMap<>();
                map.forEach((key, of) -> copy.put(key.toString(), written(of)));
                yield copy;
            }
            case final Collection<?> many ->
                many.stream().map(EffectiveConfig::written).toList();
            case final Number number -> number;
            case final Boolean flag -> flag;
            default -> value.toString();
        };
    }

    private static String written(final Duration time) {
        return time.toMillis() % Duration.ofSeconds(1).toMillis() == 0
                ? time.toSeconds() + "s"
                : time.toMillis() + "ms";
    }
}
