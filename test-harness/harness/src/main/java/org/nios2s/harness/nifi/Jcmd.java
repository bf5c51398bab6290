// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nios2s.harness.HarnessException;

/**
 * Asks a JVM about itself with {@code jcmd}, which every JDK has.
 * For any thread; a question blocks it for a moment.
 */
public final class Jcmd {

    private static final Pattern USED = Pattern.compile("\\bused (\\d+)K");
    private static final long BYTES_PER_KIBIBYTE = 1024;

    private final ProcessHandle process;

    /** Asks a process of the same user, which runs on a JDK. */
    public Jcmd(final ProcessHandle process) {
        this.process = process;
    }

    /** Heap that is in use after a full collection, in bytes. */
    public long heapAfterCollection() {
        ask("GC.run");
        final String info = ask("GC.heap_info");
        final Matcher used = USED.matcher(info);
        if (!used.find()) {
            throw new HarnessException("GC.heap_info does not say how much heap is used: " + info);
        }
        return Long.parseLong(used.group(1)) * BYTES_PER_KIBIBYTE;
    }

    /** The answer to a command of jcmd. */
    public String ask(final String... command) {
        final List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
        line.add(Long.toString(process.pid()));
        line.addAll(List.of(command));
        try {
            final Process jcmd =
                    new ProcessBuilder(line).redirectErrorStream(true).start();
            final String answer = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (jcmd.waitFor() != 0) {
                throw new HarnessException(String.join(" ", line) + " failed: " + answer);
            }
            return answer;
        } catch (final IOException e) {
            throw new HarnessException("Cannot run " + line.getFirst() + ", which comes with a JDK", e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new HarnessException("Interrupted while waiting for jcmd", e);
        }
    }
}
