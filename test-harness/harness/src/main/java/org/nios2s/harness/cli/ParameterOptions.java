// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The options that are the parameters of an experiment, each under the name that it has in a preset. Stateless, used on
 * the command's thread.
 */
public final class ParameterOptions {

    private static final String DASHES = "--";
    private static final String SET = "--set";

    private ParameterOptions() {}

    /** Adds an option for each parameter of these scopes. */
    public static void addTo(final CommandSpec command, final List<Parameter.Scope> scopes) {
        addTo(command, scopes, Set.of());
    }

    /** The same without those that would have no effect. */
    public static void addTo(
            final CommandSpec command, final List<Parameter.Scope> scopes, final Set<Parameter> without) {
        for (final Parameter.Scope scope : scopes) {
            final ArgGroupSpec.Builder group = ArgGroupSpec.builder()
                    .heading("%n" + heading(scope) + "%n")
                    .multiplicity("0..1")
                    .exclusive(false)
                    .validate(false);
            for (final Parameter parameter : Parameter.values()) {
                if (parameter.scope() == scope && !without.contains(parameter)) {
                    group.addArg(option(parameter));
                }
            }
            if (scope == Parameter.Scope.TARGET) {
                group.addArg(OptionSpec.builder(SET)
                        .paramLabel("KEY=VALUE")
                        .type(Map.class)
                        .auxiliaryTypes(String.class, String.class)
                        .description("A line of nifi.properties; wins over what the harness sets. May be repeated.")
                        .build());
            }
            command.addArgGroup(group.build());
        }
    }

    private static OptionSpec option(final Parameter parameter) {
        final boolean flag = parameter.kind() == Parameter.Kind.FLAG;
        return OptionSpec.builder(DASHES + parameter.key())
                .paramLabel(flag ? "true|false" : parameter.kind().name())
                .type(String.class)
                .arity(flag ? "0..1" : "1")
                .fallbackValue(flag ? "true" : "")
                .description(description(parameter).replace("%", "%%"))
                .build();
    }

    private static String description(final Parameter parameter) {
        return parameter.defaultValue().isEmpty()
                ? parameter.meaning() + "."
                : parameter.meaning() + "; default: " + parameter.defaultValue() + ".";
    }

    private static String heading(final Parameter.Scope scope) {
        return switch (scope) {
            case TARGET -> "What is started:";
            case LOAD -> "What the clients do:";
            case PROBE -> "What is looked at or done beside them:";
            case PLAN -> "How it goes:";
        };
    }

    /** An experiment with the options that were given, which win over everything else. */
    static Experiment apply(final CommandSpec command, final Experiment experiment) {
        return checked(command, () -> {
            final ParseResult line = command.commandLine().getParseResult();
            final Map<String, String> options = new LinkedHashMap<>();
            for (final Parameter parameter : Parameter.values()) {
                final OptionSpec given = line.matchedOption(DASHES + parameter.key());
                // A command may have one of its own by that name.
                if (given != null && given.group() != null) {
                    options.put(parameter.key(), given.getValue());
                }
            }
            final Map<String, String> properties = line.matchedOptionValue(SET, Map.of());
            properties.forEach((key, value) -> options.put(Settings.PROPERTY + key, value));
            Experiment applied = experiment;
            for (final Map.Entry<String, String> option : options.entrySet()) {
                applied = applied.with(option.getKey(), option.getValue());
            }
            applied = applied.about(said(experiment.about(), options));
            applied.cells();
            return applied;
        });
    }

    /** The purpose of an experiment, with its options: a preset's words name its own numbers. */
    private static String said(final String about, final Map<String, String> options) {
        final String changed = options.entrySet().stream()
                .filter(option -> Parameter.find(option.getKey())
                        .filter(found -> found.scope() == Parameter.Scope.PLAN)
                        .isEmpty())
                .map(option -> option.getKey() + " " + option.getValue())
                .collect(Collectors.joining(", "));
        return about.isEmpty() || changed.isEmpty() ? about : about + "; here with " + changed;
    }

    /** The outcome of work on what the user wrote: an {@link IllegalArgumentException} of it is wrong usage. */
    static <T> T checked(final CommandSpec command, final Supplier<T> work) {
        try {
            return work.get();
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }
}
