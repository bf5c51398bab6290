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
            "Compares both listeners in about six minutes: NiFi's own clients at light load, next to slow"
                    + " senders and flat out.",
            "Prints a summary and one table, checks that every packet arrived once, and stops everything."
        },
        footer = "Exit code: 0 no NIO failure and an exact ledger, 1 otherwise, 2 wrong usage.",
        abbreviateSynopsis = true,
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class DemoCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private ExperimentSession session;

    @Override
    public Integer call() throws InterruptedException {
        return session.measure(MeasureCommand.experiment(spec, "demo", List.of(), List.of()), targets);
    }
}
