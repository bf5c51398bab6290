// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Stack;
import java.util.TreeMap;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Settings from a file: puts each entry of the YAML file that {@code --config} names before the arguments, as if it had been
 * written there, unless the command line has the same option. So a value from the file is read and checked like any other.
 * Stateless, used while arguments are read.
 */
public final class ConfigFile implements IParameterPreprocessor {

    /** The option that names the file. */
    static final String OPTION = "--config";

    /** The name of the file that a result's directory holds. */
    static final String NAME = "config.yaml";

    private static final char VALUE_FOLLOWS = '=';
    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final TypeReference<Map<String, Object>> ENTRIES = new TypeReference<>() {};

    /**
     * Makes a command read its settings from a file when it is asked to.
     *
     * @param command a command; one without {@code --config} stays as it is
     */
    public static void install(final CommandSpec command) {
        if (command.findOption(OPTION) != null) {
            command.preprocessor(new ConfigFile());
        }
    }

    // Stack is picocli's choice; the next argument is on top.
    @Override
    public boolean preprocess(
            final Stack<String> arguments,
            final CommandSpec command,
            final ArgSpec argument,
            final Map<String, Object> info) {
        final List<String> given = new ArrayList<>(arguments);
        Collections.reverse(given);
        final Path file = file(given);
        if (file != null) {
            final List<String> more = arguments(command, file, names(given));
            Collections.reverse(more);
            arguments.addAll(more);
        }
        return false;
    }

    private static Path file(final List<String> given) {
        for (int i = 0; i < given.size(); i++) {
            if (given.get(i).startsWith(OPTION + VALUE_FOLLOWS)) {
                return Path.of(given.get(i).substring(OPTION.length() + 1));
            }
            if (given.get(i).equals(OPTION) && i + 1 < given.size()) {
                return Path.of(given.get(i + 1));
            }
        }
        return null;
    }

    private static Set<String> names(final List<String> given) {
        final Set<String> names = new HashSet<>();
        for (final String argument : given) {
            final int value = argument.indexOf(VALUE_FOLLOWS);
            names.add(value < 0 ? argument : argument.substring(0, value));
        }
        return names;
    }

    private static List<String> arguments(final CommandSpec command, final Path given, final Set<String> named) {
        final Path file = Files.isDirectory(given) ? given.resolve(NAME) : given;
        final Map<String, OptionSpec> options = new TreeMap<>();
        for (final OptionSpec option : command.options()) {
            if (EffectiveConfig.isSetting(option)) {
                options.put(EffectiveConfig.name(option), option);
            }
        }
        final List<String> arguments = new ArrayList<>();
        read(command, file).forEach((key, value) -> {
            final OptionSpec option = options.get(key);
            if (option == null) {
                throw refused(
                        command,
                        file,
                        "'%s' is no setting of %s; there are %s"
                                .formatted(key, command.name(), String.join(", ", options.keySet())),
                        null);
            }
            if (Collections.disjoint(named, List.of(option.names()))) {
                append(arguments, command, file, option, value);
            }
        });
        return arguments;
    }

    private static void append(
            final List<String> arguments,
            final CommandSpec command,
            final Path file,
            final OptionSpec option,
            final Object value) {
        final String name = option.longestName();
        if (value instanceof final Collection<?> many) {
            many.forEach(each -> append(arguments, command, file, option, each));
        } else if (value instanceof final Map<?, ?> map) {
            map.forEach((key, of) -> arguments.add(name + VALUE_FOLLOWS + key + VALUE_FOLLOWS + of));
        } else if (value == null) {
            throw refused(command, file, "'" + EffectiveConfig.name(option) + "' has no value", null);
        } else if (option.arity().max() > 0) {
            arguments.add(name + VALUE_FOLLOWS + value);
        } else if (!(value instanceof final Boolean flag)) {
            throw refused(
                    command,
                    file,
                    "'%s' is true or false, not %s".formatted(EffectiveConfig.name(option), value),
                    null);
        } else if (flag) {
            arguments.add(name);
        }
    }

    private static Map<String, Object> read(final CommandSpec command, final Path file) {
        try {
            final Map<String, Object> entries = YAML.readValue(Files.readString(file), ENTRIES);
            return entries == null ? Map.of() : entries;
        } catch (final JsonProcessingException e) {
            throw refused(command, file, "cannot be read as 'name: value' lines: " + e.getOriginalMessage(), e);
        } catch (final IOException e) {
            throw refused(command, file, "cannot be read: " + e, e);
        }
    }

    private static ParameterException refused(
            final CommandSpec command, final Path file, final String reason, final Exception cause) {
        return new ParameterException(command.commandLine(), OPTION + " " + file + ": " + reason, cause);
    }
}
