// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nios2s.harness.plan.Experiment.Cell;

/** Loads beside others, and faults, as a file says them. Runs on the test's thread. */
class LoadsBesideTest {

    private static final String PUSH_BESIDE_PULL =
            "{clients: 5, size: 1k, slow-peers: 3, beside: [{name: pull, direction: pull, clients: 2}, {size: 100k}]}";

    @Test
    void aLoadBesideAnotherIsTheSameButForWhatItChanges() {
        final Cell cell = Presets.parse("x", PUSH_BESIDE_PULL).cells().getFirst();

        final Settings pull = cell.settings().beside().get("pull");
        assertEquals("pull", pull.text(Parameter.DIRECTION));
        assertEquals(2, pull.number(Parameter.CLIENTS));
        assertEquals("1k", pull.text(Parameter.SIZE));
        assertEquals(0, pull.number(Parameter.SLOW_PEERS), "what is looked at belongs to the load itself");
        assertEquals("100k", cell.settings().beside().get("load 3").text(Parameter.SIZE));
        assertEquals("1k", cell.settings().text(Parameter.SIZE));
    }

    @Test
    void everyLoadHasARowOfItsOwnAndIsMeasuredOnce() {
        final Experiment experiment = Presets.parse("x", PUSH_BESIDE_PULL);

        assertEquals(
                List.of("push", "push, beside it: load 3", "push, beside it: pull"),
                experiment.observed().stream().map(Cell::row).toList());
        assertEquals(6, experiment.trials().size(), "rounds of one cell");
    }

    @Test
    void aSituationMayHaveLoadsBesideIt() {
        final Experiment experiment = Presets.parse(
                "x",
                "{vary: {what: [{name: alone, clients: 1}, {name: shared, clients: 1, beside: {direction: pull}}]}}");

        assertEquals(
                List.of("alone", "shared", "shared, beside it: load 2"),
                experiment.observed().stream().map(Cell::row).toList());
    }

    @Test
    void anExperimentWithLoadsBesideItIsTheSameWhenItIsWrittenAndRead() {
        final Experiment experiment = Presets.parse("x", PUSH_BESIDE_PULL);

        assertEquals(
                experiment.cells(),
                Presets.parse("x", Presets.write(experiment)).cells());
    }

    @Test
    void aFaultSaysWhatWhenAndForHowLong() {
        assertEquals(
                new Fault(Fault.Kind.RESTART, Duration.ofSeconds(20), Duration.ZERO), Fault.parse("restart at 20s"));
        assertEquals(
                new Fault(Fault.Kind.STOP_PORT, Duration.ofSeconds(5), Duration.ofMillis(500)),
                Fault.parse("stop-port at 5s for 500ms"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{fault: explode at 5s} | 'explode' is not a fault: write restart at 20s",
                "{fault: restart} | 'restart' is not a fault: write restart at 20s",
                "{fault: suspend at 5s} | write restart at 20s",
                "{fault: restart at 5s for 5s} | leave 'for' out",
                "{fault: restart at 5s, sink: 'null'} | fault restart at 5s has no effect beside sink null",
                "{fault: restart at 5s, ports: 2} | ports 2 has no effect beside fault",
                "{fault: stop-port at 5s for 1s, direction: pull} | direction pull has no effect beside a fault",
                "{beside: [{heap: 1g}]} | 'heap' cannot be set of a load beside another",
                "{beside: [{client: wire, large: true}]} | cannot be large",
                "{beside: pull} | is a list of loads",
                "{beside: [{clients: many}]} | 'many' is not a whole number",
                "{direction: pull, beside: [{size: 5b}]} | Two loads at once pull",
                "{live-heap: true, beside: [{size: 5b}]} | live-heap true has no effect beside other loads",
                "{client: group, interval: 5s} | interval 5s has no effect beside client group",
                "{client: group, direction: pull, fault: kill at 5s} | pull with client nifi",
                "{arrivals: bursts, interval: 1s, stagger: 5ms} | stagger 5ms has no effect beside arrivals bursts",
            })
    void whatCannotBeHonouredIsRefused(final String text, final String words) {
        final String refused = assertThrows(IllegalArgumentException.class, () -> Presets.parse("x", text))
                .getMessage();

        assertTrue(refused.contains(words), refused);
    }
}
