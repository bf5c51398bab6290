// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.nios2s.harness.nifi.Jcmd;
import org.nios2s.harness.nifi.NifiNode;

/**
 * Objects of the listener that stand for a connection, a transaction, a session, a permit, or a place in a line: without peers
 * there is none in NiFi's heap. Stateless, for any thread.
 */
final class Leftovers {

    /** A line of {@code GC.class_histogram}: number, instances, bytes, class. */
    private static final Pattern LINE = Pattern.compile("(?m)^ *\\d+: +(\\d+) +\\d+ +(org\\.nios2s\\.listener\\.\\S*"
            + "(?:MessageSequenceHandler|PeerConnection|Push|Pull|Transaction|HeldSession|SessionRequest|Step|Charge|Permit))"
            + "(?: .*)?$");

    private Leftovers() {}

    /** How many there are of each class, after a collection. */
    static Map<String, Integer> of(final NifiNode nifi) {
        final String histogram = new Jcmd(ProcessHandle.of(nifi.info().pid()).orElseThrow()).ask("GC.class_histogram");
        return LINE.matcher(histogram)
                .results()
                .collect(Collectors.toMap(line -> line.group(2), Leftovers::instances, Integer::sum));
    }

    private static int instances(final MatchResult line) {
        return Integer.parseInt(line.group(1));
    }
}
