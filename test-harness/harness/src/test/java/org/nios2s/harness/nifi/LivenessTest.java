// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Whether a process still runs. Runs on the test's thread. */
@Timeout(60)
@EnabledOnOs(OS.LINUX)
class LivenessTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void aProcessThatEndedAndWasNotReapedIsNotAlive() throws Exception {
        // The shell becomes a sleep, which does not look after the child that it has.
        final Process parent = new ProcessBuilder("sh", "-c", "sleep 600 & exec sleep 600").start();
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> parent.info()
                                    .command()
                                    .filter(name -> name.endsWith("sleep"))
                                    .isPresent()
                            && parent.children().findFirst().isPresent());
            final ProcessHandle child = parent.children().findFirst().orElseThrow();
            assertTrue(Liveness.isAlive(child));

            child.destroyForcibly();

            assertTrue(Liveness.awaitEnd(child, Deadline.after(PATIENCE)));
            assertTrue(child.isAlive(), "the JVM takes it for alive, or the test shows nothing");
            assertFalse(Liveness.isAlive(child));
        } finally {
            parent.destroyForcibly().waitFor();
        }
    }
}
