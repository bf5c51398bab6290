// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "demo",
        description = {
            "The stock listener beside the NIO one in about five minutes: 1,000 clients at their pace, slow peers, latency at"
                    + " light load, cost flat out.",
            "Prints one table, checks that every packet arrived once, stops everything."
        },
        footer = "Exit code: 0 no NIO failure and an exact ledger, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class DemoCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private Session session;

    @Override
    public Integer call() throws InterruptedException {
        return session.run(
                MeasureCommand.experiment(spec, "demo", List.of(), List.of()),
                targets,
                (known, runner, interruption) -> runner.run());
    }
}
