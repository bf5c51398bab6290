// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.S2sHarness;
import picocli.CommandLine.ExitCode;

/**
 * What would measure something else than its words say is refused before anything starts, with what to write in place of it.
 * Runs on the test's thread; nothing is started.
 */
@Timeout(60)
class RefusedCommandTest {

    private static final String URL = "--url http://127.0.0.1:1/nifi";

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @BeforeEach
    void aLockOfItsOwn() {
        System.setProperty("s2s.harness.lock", directory.resolve("lock").toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "tls | 'transport' varies secure",
                "reactor | without 'heap 2g'",
                "ramp | 'transport' varies secure",
                "commit-cost | without 'heap 1g'",
                "connections | jvm-args",
                "compare --vary heap=1g,2g | 'heap' varies heap",
                "compare --vary pool=10,20 | 'pool' varies pool",
                "compare --vary set.a.b=1,2 | 'set.a.b' varies set.a.b",
                "compare --heap 8g | without 'heap 8g'",
                "compare --processors 1 | without 'processors 1'",
                "compare --vary processors=1,2 | 'processors' varies processors",
                "compare --set a.b=c | nifi start --set a.b=",
                "compare --fresh | write --fresh false",
                "compare --live-heap | cannot have live-heap",
                "compare --vary direction=push,pull | measure push and pull one after the other",
            })
    void aGivenTargetIsMeasuredAsItIs(final String command, final String words) {
        assertRefused(command + " " + URL, words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "slow-peers --slow-peers 16 | Write --vary slow-peers=16",
                "handoff --interval 1s | Write --vary interval=1s",
                "connections --clients 500 | would make the names of 'listener' untrue",
                "demo --clients 200 | would make the names of 'situation' untrue",
                "demo --interval 5ms | would make the names of 'situation' untrue",
                "commit-cost --set nifi.remote.input.nio.commit.transactions=5 | would make the names of 'listener' untrue",
                "large --size 200m | would make the names of 'content' untrue",
                "demo --vary clients=1,2 | 'clients' is changed by two axes, 'situation' and 'clients'",
            })
    void anOptionDoesNotMakeTheNameOfASituationUntrue(final String command, final String words) {
        assertRefused(command, words);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rounds=1,2", "warmup=0s,30s", "settle=0s,1s", "fresh=true,false"})
    void whatHoldsForTheWholeExperimentDoesNotVary(final String axis) {
        assertRefused("compare --vary " + axis, "holds for the whole experiment and cannot vary");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "stock: p99 > 5ms | --listener nio | concerns nothing that is measured here (nio)",
                "secure=true: p99 > 5ms | --listener nio | concerns nothing that is measured here",
                "senior: p99 > 5ms | --listener nio | 'senior' names no side",
                "pace < 98 | --listener nio | needs the setting interval",
                "live-heap > 100 | --listener nio | needs the setting live-heap",
                "cpu > 5 | --url http://127.0.0.1:1/nifi | needs the process",
                "lost > 0 | --url http://127.0.0.1:1/nifi | needs a ledger",
                "rate > 5s | --listener nio | 'rate' has no limit in 's'",
                "p99 > 5% | --listener nio | 'p99' has no limit in '%'",
                "speed > 5 | --listener nio | 'speed' is not a metric",
                "nio/stock: rate < 1.5 | --listener nio | concerns no two that are compared here",
                "stock/nio: rate < 1.5 | --rounds 2 | concerns no two that are compared here",
                "nio/stock: p99 < 5ms | --rounds 2 | a ratio has no unit",
            })
    void aRuleThatNothingCouldBreakIsWrongUsage(final String threshold, final String options, final String words) {
        final List<String> arguments = new ArrayList<>(List.of("measure", "compare", "--fail-if", threshold));
        arguments.addAll(List.of(options.split(" ")));
        assertRefused(arguments, words);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--sink null", "--ports 20", "--pool 5"})
    void aNifiThatIsOnlyStartedHasNoOptionWithoutEffect(final String option) {
        final List<String> arguments = new ArrayList<>(List.of("nifi", "start"));
        arguments.addAll(List.of(option.split(" ")));
        assertEquals(
                ExitCode.USAGE,
                S2sHarness.commandLine().setErr(new PrintWriter(errors)).execute(arguments.toArray(String[]::new)));
        assertTrue(errors.toString().contains("Unknown option"), errors.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "measure --intervall 1s | Unknown option: '--intervall' (did you mean '--interval'?)",
                "mesure | (did you mean 'measure'?)",
                "measure --requests 5 | Unknown option",
                "measure --target 127.0.0.1:1 | Unknown option",
                "measure --xy 5 | Unknown option",
            })
    void aSuggestionIsReallyNear(final String command, final String words) {
        assertEquals(ExitCode.USAGE, run(List.of(command.split(" "))), errors::toString);
        assertTrue(errors.toString().contains(words), errors.toString());
        assertEquals(words.contains("did you mean"), errors.toString().contains("did you mean"), errors.toString());
    }

    @Test
    void aSearchWithoutAPaceDoesNotTakeEveryCountForKept() {
        assertRefused(List.of("search", "compare"), "needs the setting interval");
        assertRefused(List.of("search", "scale", "--no-default-thresholds"), "leaves nothing to meet");
        assertRefused(List.of("search", "demo"), "'clients' is changed by two axes");
        assertRefused(List.of("search", "scale", "--threshold", "nio/stock: rate < 2"), "A search has no pairs");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "metrics: [speed] | 'speed' is not a metric",
                "clients | has to consist of lines 'name: value'",
                "metrics: p98 | 'p98' is not a metric (did you mean 'p95'?)",
                "{intervall: 1s} | 'intervall' is not a setting (did you mean 'interval'?)",
                "fail-if: 'speed > 5' | 'speed' is not a metric",
                "fail-if: {nio: 'p99 > 5ms'} | has to be a list of texts",
                "vary: {what: [{name: a, metrics: speed}]} | 'speed' is not a metric",
                "vary: {what: [{name: a, rounds: 3}]} | holds for the whole experiment",
                "vary: {a: [{clients: 1}], b: [{clients: 2}]} | is changed by two axes",
            })
    void aFileWithAMistakeIsRefused(final String text, final String words) throws IOException {
        final Path file = Files.writeString(directory.resolve("mine.yaml"), text);
        assertRefused(List.of("measure", file.toString()), words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--ports 5 --client nio | ports 5 has no effect beside client nio",
                "--client wire --connections 5 | connections 5 has no effect beside client wire",
                "--client nio --reconnect | reconnect true has no effect beside client nio",
                "--direction pull --size 50%1k+50%2k | is a mix",
                "--large --gzip | gzip true has no effect beside large true",
                "--large --direction pull | large true has no effect beside direction pull",
                "--sink null --secure | secure true has no effect beside sink null",
                "--sink null --pool 5 | pool 5 has no effect beside sink null",
                "--arrivals bursts --interval 1s --stagger 5ms | stagger 5ms has no effect beside arrivals bursts",
                "--nifi-home x --nifi-version 2.3.0 | nifi-home x has no effect beside nifi-version 2.3.0",
            })
    void aSettingThatWouldBeIgnoredIsRefused(final String options, final String words) {
        assertRefused(options, words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--processors few | processors: 'few' is not a whole number",
                "--processors 100000 | processors 100000",
                "--vary processors=1,100000 | processors 100000",
            })
    void processorsThatCannotBeAreRefused(final String options, final String words) {
        assertRefused(options, words);
    }

    @Test
    void aPlanSaysWhatWouldBeMeasuredAndStartsNothing() {
        assertEquals(ExitCode.OK, run(List.of("measure", "slow-peers", "--plan")), errors::toString);

        assertTrue(out.toString().contains("5 combinations:"), out.toString());
        assertTrue(out.toString().contains("beside 1,000 slow peers / nio"), out.toString());
        assertTrue(out.toString().contains("round 2, 3, 5: "), out.toString());
        assertTrue(out.toString().matches("(?s).*\\d+ runs, about \\d+ min\\s*"), out.toString());
        assertFalse(Files.exists(directory.resolve("r")));
    }

    @Test
    void anExperimentSaysWhatOptionsHaveMadeOfIt() {
        assertEquals(ExitCode.OK, run(List.of("measure", "compare", "--clients", "7", "--plan")), errors::toString);

        assertTrue(out.toString().contains("; here with clients 7"), out.toString());
    }

    private void assertRefused(final String options, final String words) {
        final List<String> arguments = new ArrayList<>(List.of("measure"));
        arguments.addAll(List.of(options.split(" ")));
        assertRefused(arguments, words);
    }

    private void assertRefused(final List<String> arguments, final String words) {
        errors.getBuffer().setLength(0);
        assertEquals(ExitCode.USAGE, run(arguments), errors::toString);
        assertTrue(errors.toString().contains(words), errors.toString());
        assertFalse(Files.exists(directory.resolve("r")), "something was measured");
    }

    private int run(final List<String> arguments) {
        final List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of("--results", directory.resolve("r").toString()));
        return S2sHarness.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(errors))
                .execute(all.toArray(String[]::new));
    }
}
