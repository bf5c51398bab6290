// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.nios2s.harness.plan.Axis;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Presets;
import org.nios2s.harness.plan.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "measure",
        description = {
            "Measures a preset or your own experiment: starts the targets, gives each the same work in a"
                    + " balanced order, prints one table and keeps a report.",
            "Without a preset: 100 clients flat out on the NIO listener. An option wins over the preset."
        },
        footer = "Exit code: 0 no failure and an exact ledger (of the stock listener only where it stands alone), 1"
                + " otherwise, 2 wrong usage, 3 a --fail-if threshold was crossed.",
        abbreviateSynopsis = true,
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class MeasureCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "PRESET|FILE",
            arity = "0..1",
            description =
                    "A preset (see --list), a YAML file, or the directory of an earlier result, which repeats it.")
    private String preset;

    @Option(names = "--list", description = "Lists the presets.")
    private boolean list;

    @Option(names = "--show", description = "Prints the preset, to copy and change.")
    private boolean show;

    @Option(
            names = "--vary",
            paramLabel = "SETTING=VALUE,…",
            description = "Measures several values of a setting, such as clients=10,100. May be repeated.")
    private List<String> vary = List.of();

    @Option(
            names = "--fail-if",
            paramLabel = "RULE",
            description =
                    "Exit code 3 if it is true of a median, a ratio, or, of faults, any run: 'p99 > 50ms', 'nio/stock: rate < 1.5',"
                            + " 'nio: failures > 0'. May be repeated.")
    private List<String> thresholds = List.of();

    @Mixin
    private TargetOptions targets;

    @Mixin
    private ExperimentSession session;

    @Override
    public Integer call() throws InterruptedException {
        final PrintWriter out = spec.commandLine().getOut();
        if (list) {
            for (final String name : Presets.names()) {
                out.printf("%-16s %s%n", name, Presets.read(name).about());
            }
            return ExitCode.OK;
        }
        if (show) {
            if (preset == null || !Presets.names().contains(preset)) {
                throw new ParameterException(spec.commandLine(), "--show needs a preset: " + Presets.names());
            }
            out.print(Presets.text(preset));
            out.flush();
            return ExitCode.OK;
        }
        final Experiment experiment = experiment(spec, preset, vary, thresholds);
        return session.measure(experiment, targets);
    }

    /** The experiment of a preset with what the command line says. */
    static Experiment experiment(
            final CommandSpec spec, final String preset, final List<String> vary, final List<String> thresholds) {
        return ParameterOptions.checked(spec, () -> {
            Experiment experiment = preset == null
                    ? new Experiment("measure", "", Settings.DEFAULTS, List.of(), List.of(), List.of())
                    : Presets.read(preset);
            experiment = ParameterOptions.apply(spec, experiment).withThresholds(thresholds);
            for (final String axis : vary) {
                experiment = experiment.vary(Axis.parse(axis));
            }
            experiment.cells();
            return experiment;
        });
    }
}
