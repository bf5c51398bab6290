// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.plan.Experiment.Trial;

/** How files and options become cells, and in which order those are measured. Runs on the test's thread. */
class ExperimentTest {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(10);

    private static final String TWO_BY_TWO = """
            clients: 10
            vary:
              listener: [stock, nio]
              size: [10b, 1k]
            """;

    static List<String> presets() {
        return Presets.names();
    }

    @ParameterizedTest
    @MethodSource("presets")
    void everyPresetIsPossibleAndIsReadAgainAsItIsWritten(final String name) {
        final Experiment preset = Presets.read(name);
        final Experiment again = Presets.parse("again", Presets.write(preset));

        assertEquals(
                preset.cells().stream().map(Cell::settings).toList(),
                again.cells().stream().map(Cell::settings).toList());
        preset.cells().forEach(cell -> cell.metrics().forEach(Metric::by));
        assertTrue(!preset.about().isEmpty());
    }

    /** Runs of 0.2 s, which they once were, say nothing of a server that has to become warm. */
    @Test
    void theRunsOfReactorAreLongEnoughForTheirFigures() {
        for (final Cell cell : Presets.read("reactor").cells()) {
            final Duration duration = cell.settings().time(Parameter.DURATION);
            assertTrue(duration.compareTo(LONG_ENOUGH) >= 0, () -> cell + " lasts " + duration);
        }
    }

    @Test
    void aSituationIsWrittenInTheOrderInWhichItWasRead() {
        final String settings =
                "timeout: 9s, clients: 2, size: 1k, packets: 3, gzip: true, duration: 1s, attributes: 4";

        final String written = Presets.write(Presets.parse(
                "x", "vary: {what: [{name: much, only: {sink: nifi, listener: nio}, %s}]}".formatted(settings)));

        assertEquals(
                List.of("timeout", "clients", "size", "packets", "gzip", "duration", "attributes", "sink", "listener"),
                Pattern.compile("timeout|clients|size|packets|gzip|duration|attributes|sink|listener")
                        .matcher(written)
                        .results()
                        .map(MatchResult::group)
                        .toList());
    }

    @Test
    void rowsAreLoadsAndColumnsAreTargets() {
        final List<Cell> cells = Presets.parse("x", TWO_BY_TWO).cells();

        assertEquals(
                List.of("size 10b/stock", "size 1k/stock", "size 10b/nio", "size 1k/nio"),
                cells.stream().map(cell -> cell.row() + "/" + cell.column()).toList());
        assertEquals(
                2,
                cells.stream()
                        .map(cell -> cell.settings().targetSettings())
                        .distinct()
                        .count());
    }

    @Test
    void neitherTargetIsAlwaysFirst() {
        final List<Trial> trials = Presets.parse("x", TWO_BY_TWO).trials(2);

        assertEquals(
                List.of("stock", "nio", "nio", "stock", "nio", "stock", "stock", "nio"),
                trials.stream().map(trial -> trial.cell().column()).toList());
        assertEquals(
                List.of("stock", "nio", "nio", "stock"),
                Presets.parse("x", "vary: {listener: [stock, nio]}").trials(2).stream()
                        .map(trial -> trial.cell().column())
                        .toList());
    }

    /** What gets faster from round to round, or slower, then meets both orders alike. */
    @Test
    void neitherOrderHasTheEarlierRounds() {
        for (final int rounds : new int[] {4, 8, 16}) {
            assertEquals(sumOfRounds("stock", rounds), sumOfRounds("nio", rounds), "of " + rounds);
        }
    }

    /** Of those in which this one is measured first. */
    private static int sumOfRounds(final String first, final int rounds) {
        final List<Trial> trials =
                Presets.parse("x", "vary: {listener: [stock, nio]}").trials(rounds);
        return IntStream.range(0, rounds)
                .mapToObj(round -> trials.get(2 * round))
                .filter(trial -> trial.cell().column().equals(first))
                .mapToInt(Trial::round)
                .sum();
    }

    @Test
    void anOptionWinsOverTheFileAndItsAxes() {
        final Experiment experiment = Presets.parse("x", TWO_BY_TWO);

        assertEquals(2, experiment.with("listener", "nio").cells().size());
        assertEquals(2, experiment.with("size", "5k").cells().size());
        assertEquals(
                "5k",
                experiment.with("size", "5k").cells().getFirst().settings().text(Parameter.SIZE));
        assertEquals(6, experiment.vary(Axis.parse("size=1b,2b,3b")).cells().size());
        assertEquals(
                List.of("slow-peers 0", "slow-peers 16"),
                Presets.read("slow-peers").vary(Axis.parse("slow-peers=0,16")).cells().stream()
                        .map(Cell::row)
                        .distinct()
                        .toList());
    }

    @Test
    void aTextAloneIsAListOfOne() {
        final Experiment experiment = Presets.parse("x", "{metrics: p99, fail-if: 'nio: failures > 0'}");

        assertEquals(List.of("p99"), experiment.metrics());
        assertEquals(List.of("nio: failures > 0"), experiment.thresholds());
    }

    @Test
    void aSituationMayBeForOneTargetOnly() {
        final Experiment experiment = Presets.read("slow-peers");

        assertEquals(
                List.of("alone", "beside 8 slow peers", "alone", "beside 8 slow peers", "beside 1,000 slow peers"),
                experiment.cells().stream().map(Cell::row).toList());
    }

    @Test
    void whatIsWrongIsSaidByItsName() {
        assertRefused("'client-count' is not a setting", "client-count: 5");
        assertRefused("clients: 'many' is not a whole number", "clients: many");
        assertRefused("interval: 'soon' is not a time", "interval: soon");
        assertRefused("listener", "vary: {listener: []}");
        assertRefused("add up to 100 %", "size: 50%10b+20%1k");
    }

    private static void assertRefused(final String message, final String text) {
        final IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> Presets.parse("x", text));
        assertTrue(refusal.getMessage().contains(message), refusal.getMessage());
    }

    @Test
    void whatWouldBeMixedUpOrLeftOutIsRefused() {
        assertRefused(
                "two values of the name 'fast'",
                "vary: {x: [{name: fast, listener: stock}, {name: fast, listener: nio}]}");
        assertRefused(
                "is never measured",
                "vary: {listener: [stock, nio], load: [{name: a, clients: 1}, {name: b, clients: 2, only: {listener: nioo}}]}");
        assertRefused(
                "is never measured",
                "vary: {load: [{name: a, clients: 1}, {name: b, clients: 2, only: {listner: nio}}]}");
        assertRefused(
                "'a' and 'b' are one NiFi under two names",
                "vary: {listener: [{name: a, listener: nio}, {name: b, listener: nio}]}");
        assertRefused("is nothing that is measured here", "vary: {size: [1k, 10k]}\nbaseline: {size: 1024b}");
    }
}
