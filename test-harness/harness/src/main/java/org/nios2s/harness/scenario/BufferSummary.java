// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.scenario;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nios2s.harness.nifi.NifiLog;

/**
 * What the NIO listener says of its buffers in the summary that it logs once a minute. Used on the scenario's thread.
 */
public final class BufferSummary {

    private static final String SUMMARY = "Site-to-Site since the last summary";
    private static final Pattern MOST = Pattern.compile("buffered, at most ([\\d.,]+) (bytes|KB|MB|GB);");
    private static final List<String> UNITS = List.of("bytes", "KB", "MB", "GB");
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration PATIENCE = Duration.ofSeconds(70);
    private static final double KIBI = 1024;

    private final NifiLog log;
    private final Interruption interruption;

    /**
     * The summaries of a NiFi.
     *
     * @param nifi         runs with the NIO listener
     * @param interruption ends a wait early
     */
    public BufferSummary(final EmbeddedNifi nifi, final Interruption interruption) {
        this.log = nifi.instance().log();
        this.interruption = interruption;
    }

    /**
     * How many summaries there are by now.
     *
     * @return their number
     */
    public int count() {
        return log.linesWith(SUMMARY).size();
    }

    /**
     * The most that was buffered at any time, by all summaries.
     *
     * @param summaries wait until there are so many, for the last to cover the end of what was measured
     * @return bytes, with the two decimals of the log; empty when there is no summary
     * @throws InterruptedException when the calling thread was interrupted
     */
    public OptionalLong mostBytes(final int summaries) throws InterruptedException {
        final long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (count() < summaries && System.nanoTime() - deadline < 0 && !interruption.interrupted()) {
            Thread.sleep(POLL);
        }
        return log.linesWith(SUMMARY).stream()
                .map(MOST::matcher)
                .filter(Matcher::find)
                .mapToLong(most -> (long) (Double.parseDouble(most.group(1).replace(",", ""))
                        * Math.pow(KIBI, UNITS.indexOf(most.group(2)))))
                .max();
    }
}
