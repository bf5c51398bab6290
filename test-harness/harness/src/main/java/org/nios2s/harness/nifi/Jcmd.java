// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nios2s.harness.HarnessException;

/**
 * Asks a JVM about itself with {@code jcmd}, which every JDK has. For any thread; a question blocks it for a moment.
 *
 * @param process a process of the same user, which runs on a JDK
 */
public record Jcmd(ProcessHandle process) {
    /** A JVM that does nothing but collect answers no more. */
    private static final int MAX_SECONDS = 60;

    private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)");

    /** Bytes of all objects that a full collection leaves. They are counted while the JVM stands still: what it makes next is no part. */
    public long heapAfterCollection() {
        final String histogram = ask("GC.class_histogram");
        final Matcher total = TOTAL.matcher(histogram);
        if (!total.find()) {
            throw new HarnessException("GC.class_histogram does not say how much there is: " + histogram);
        }
        return Long.parseLong(total.group(1));
    }

    public String ask(final String... command) {
        final Path tool = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        final List<String> line = new ArrayList<>(List.of(tool.toString(), Long.toString(process.pid())));
        line.addAll(List.of(command));
        return HarnessException.attempt(e -> "Cannot run " + tool + ", which comes with a JDK: " + e, () -> {
            final Process jcmd =
                    new ProcessBuilder(line).redirectErrorStream(true).start();
            CompletableFuture.delayedExecutor(MAX_SECONDS, TimeUnit.SECONDS).execute(jcmd::destroyForcibly);
            final String answer = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (jcmd.onExit().join().exitValue() != 0) {
                throw new HarnessException(String.join(" ", line) + " failed: " + answer);
            }
            return answer;
        });
    }
}
