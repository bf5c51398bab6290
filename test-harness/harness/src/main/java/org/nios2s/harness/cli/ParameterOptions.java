// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
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
        for (final Parameter.Scope scope : scopes) {
            final ArgGroupSpec.Builder group = ArgGroupSpec.builder()
                    .heading("%n" + heading(scope) + "%n")
                    .multiplicity("0..1")
                    .exclusive(false)
                    .validate(false);
            for (final Parameter parameter : Parameter.values()) {
                if (parameter.scope() == scope) {
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
                .description(parameter.meaning().replace("%", "%%")
                        + (parameter.usual().isEmpty() ? "." : "; default: " + parameter.usual() + "."))
                .build();
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
            Experiment applied = experiment;
            for (final Parameter parameter : Parameter.values()) {
                final OptionSpec given = line.matchedOption(DASHES + parameter.key());
                // A command may have one of its own by that name.
                if (given != null && given.group() != null) {
                    applied = applied.with(parameter.key(), given.getValue());
                }
            }
            final Map<String, String> properties = line.matchedOptionValue(SET, Map.of());
            for (final Map.Entry<String, String> property : properties.entrySet()) {
                applied = applied.with(Settings.PROPERTY + property.getKey(), property.getValue());
            }
            applied.cells();
            return applied;
        });
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
