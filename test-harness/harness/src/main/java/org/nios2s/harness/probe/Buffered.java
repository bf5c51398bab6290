// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.nifi.NifiLog;

/**
 * The most that the NIO listener has buffered by the summary that it logs once a minute; nothing as long as it has logged
 * none. Used on the command's thread.
 */
record Buffered(NifiLog log) implements Probe {

    private static final Pattern MOST = Pattern.compile("buffered, at most ([\\d.,]+) (bytes|KB|MB|GB);");
    private static final List<String> UNITS = List.of("bytes", "KB", "MB", "GB");

    @Override
    public void after(final LoadOutcome outcome, final Map<String, Double> figures) {
        log.linesWith("Site-to-Site since the last summary").stream()
                .map(MOST::matcher)
                .filter(Matcher::find)
                .mapToDouble(most -> Double.parseDouble(most.group(1).replace(",", ""))
                        * Math.pow(1024, UNITS.indexOf(most.group(2)) - UNITS.indexOf("MB")))
                .max()
                .ifPresent(most -> figures.put("buffered", most));
    }
}
