// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What jcmd says of a JVM that makes garbage all the time. Runs on the thread of the tests. */
class JcmdTest {

    private static final int GARBAGE_BYTES = 64 * 1024;
    private static final long MAX_BYTES = 16L * 1024 * 1024;

    private static byte[] garbage;

    /** Runs in that JVM. */
    public static void main(final String[] arguments) throws IOException {
        System.out.write('!');
        System.out.flush();
        while (System.in.available() == 0) {
            garbage = new byte[GARBAGE_BYTES];
        }
    }

    @Test
    void aRunningJvmTellsItsPauses() {
        final double before = PerfCounters.of(ProcessHandle.current()).gcMillis();
        System.gc();

        assertTrue(PerfCounters.of(ProcessHandle.current()).gcMillis() > before);
    }

    @Test
    void whatIsMadeAfterTheCollectionIsNoPartOfTheHeap() throws Exception {
        final Process busy = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        Path.of("target", "test-classes").toString(),
                        JcmdTest.class.getName())
                .start();
        try {
            assertTrue(busy.getInputStream().read() == '!');
            final long heap = new Jcmd(busy.toHandle()).heapAfterCollection();
            assertTrue(heap > 0 && heap < MAX_BYTES, () -> heap + " bytes");
        } finally {
            busy.destroyForcibly();
        }
    }
}
