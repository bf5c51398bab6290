// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** When a result says that its own figures are not to be trusted too far. Runs on the test's thread. */
class CaveatTest {

    private static final int PROCESSORS = 2;
    private static final Disturbance QUIET = new Disturbance(5, 0);
    private static final GeneratorFigures EASY = new GeneratorFigures(0.1, 40, 30, 2.0);

    @Test
    void aQuietMachineAndAnEasyLoadLeaveNothingToSay() {
        assertEquals(List.of(), caveats(run("1-nio", 1_000, EASY, QUIET), run("2-nio", 1_050, EASY, QUIET)));
    }

    @Test
    void aBusyThreadOfTheGeneratorIsTheLimit() {
        final List<Caveat> caveats = caveats(run("1-nio", 1_000, new GeneratorFigures(0.1, 110, 97, 2.0), QUIET));

        assertEquals("the load generator was the limit", caveats.getFirst().brief());
        assertTrue(
                caveats.getFirst()
                        .remark()
                        .startsWith("The load generator was the limit in 1-nio: its busiest thread"
                                + " took up to 97 % of a processor, all of it up to 110 %."),
                caveats.getFirst().remark());
    }

    @Test
    void aGeneratorThatBeginsLateSaysSo() {
        final List<Caveat> caveats = caveats(run("1-nio", 1_000, new GeneratorFigures(0.1, 40, 30, 120.0), QUIET));

        assertEquals("the load generator fell behind", caveats.getFirst().brief());
        assertTrue(caveats.getFirst().remark().contains("up to 120 ms (p99) later than due"));
    }

    @Test
    void foreignWorkIsNoise() {
        final List<Caveat> caveats = caveats(run("1-nio", 1_000, EASY, new Disturbance(60, 12)));

        assertEquals("the machine was noisy", caveats.getFirst().brief());
        assertTrue(
                caveats.getFirst().remark().contains("up to 60 % of a processor, and the machine's host up to 12 %"));
    }

    @Test
    void runsOfTheSameWorkThatLieFarApartAreNoise() {
        final List<Caveat> caveats = caveats(
                run("1-nio", 1_000, EASY, QUIET), run("2-nio", 1_250, EASY, QUIET), run("3-nio", 1_000, EASY, QUIET));

        assertEquals(1, caveats.size());
        assertTrue(
                caveats.getFirst()
                        .remark()
                        .startsWith("Runs of the same work differ by 25 % in tx/s (1-nio, 2-nio, 3-nio) of"),
                caveats.getFirst().remark());
    }

    @Test
    void workThatDiffersMayTakeDifferentTimes() {
        assertEquals(List.of(), caveats(run("nio-with-1", 500, EASY, QUIET), run("nio-without-1", 1_000, EASY, QUIET)));
    }

    @Test
    void theVerdictEndsWithEachCaveatOnce() {
        final Caveat noise = new Caveat("the machine was noisy", "…");
        final Caveat limit = new Caveat("the load generator was the limit", "…");

        assertEquals("All is well.", Caveat.append("All is well.", List.of()));
        assertEquals(
                "NIO is faster. But the load generator was the limit, the machine was noisy.",
                Caveat.append("NIO is faster.", List.of(limit, noise, noise)));
    }

    private static List<Caveat> caveats(final RunResult... runs) {
        return Caveat.of(List.of(runs), PROCESSORS);
    }

    private static RunResult run(
            final String label, final double rate, final GeneratorFigures generator, final Disturbance disturbance) {
        return Samples.run(label, "nio", rate, generator, disturbance);
    }
}
