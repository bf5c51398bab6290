// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which processors a process of the harness gets. Runs on the test's thread. */
class ProcessorsTest {

    private static final Processors FOUR = new Processors(true, List.of(2, 3, 6, 7));

    @Test
    void aProcessGetsTheFirstThatTheHarnessMayUse() {
        assertEquals(List.of("taskset", "--cpu-list", "2,3,6"), FOUR.command(3));
        assertEquals(List.of(), FOUR.command(Processors.ALL));
    }

    @Test
    void theKernelsListIsRead() {
        assertEquals(List.of(0, 1, 2, 5), Processors.numbers("\t0-2,5\n").toList());
    }

    @Test
    void moreThanThereAreIsRefused() {
        assertRefused(FOUR, 5, "processors 5 is more than the harness may use here, 4: write at most 4");
    }

    @Test
    void withoutTasksetOnlyAllAreToBeHad() {
        final Processors fixed = new Processors(false, List.of(0, 1));

        fixed.check(Processors.ALL);
        assertRefused(fixed, 1, "needs the command taskset");
    }

    @Test
    void aProcessSeesAsManyAsItWasGiven() throws Exception {
        final Processors here = Processors.ofThisMachine();
        assumeTrue(here.selectable(), "there is no taskset");
        assertTrue(here.usable().size() <= Runtime.getRuntime().availableProcessors());

        final List<String> command = new ArrayList<>(here.command(1));
        command.add("nproc");
        final Process process = new ProcessBuilder(command).start();
        assertEquals("1", new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
        assertEquals(0, process.waitFor());
    }

    private static void assertRefused(final Processors processors, final int number, final String words) {
        final String message = assertThrows(IllegalArgumentException.class, () -> processors.check(number))
                .getMessage();
        assertTrue(message.contains(words), message);
    }
}
