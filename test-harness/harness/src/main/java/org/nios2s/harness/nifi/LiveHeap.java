/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.harness.nifi;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.nios2s.harness.HarnessException;

/**
 * What lives in the heap of a JVM: asks it by {@code jcmd}, after a full collection.
 * Stateless, for any thread; a call blocks it, and the JVM that is asked, for up to some seconds.
 */
public final class LiveHeap {

    private static final String TOTAL = "Total";
    private static final int BYTES_COLUMN = 2;

    private LiveHeap() {}

    /**
     * Bytes of all objects that can be reached.
     *
     * @param process a JVM of this user
     * @throws HarnessException when it does not answer
     */
    public static long bytes(final ProcessHandle process) {
        final List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(process.pid()),
                "GC.class_histogram");
        try {
            final Process asking =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            try (BufferedReader lines = asking.inputReader(StandardCharsets.UTF_8)) {
                return lines.lines()
                        .reduce((earlier, later) -> later.startsWith(TOTAL) ? later : earlier)
                        .map(LiveHeap::bytesOf)
                        .orElseThrow(() -> new HarnessException("jcmd says nothing of process " + process.pid()));
            }
        } catch (final IOException e) {
            throw new HarnessException("Cannot run " + command.getFirst() + ", which asks for the heap", e);
        }
    }

    /** The line that sums a class histogram up: a word, instances, bytes. */
    static long bytesOf(final String total) {
        final String[] words = total.trim().split("\\s+");
        if (words.length <= BYTES_COLUMN || !TOTAL.equals(words[0])) {
            throw new HarnessException("jcmd tells no heap but: " + total);
        }
        return Long.parseLong(words[BYTES_COLUMN]);
    }
}
