// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nios2s.harness.load.Units;

/**
 * A fault of a server in mid-run. Immutable; any thread.
 *
 * @param kind what is done
 * @param at   when, counted from the start of the load
 * @param time how long it lasts; zero for what ends by itself
 */
public record Fault(Kind kind, Duration at, Duration time) {

    private static final Pattern FAULT = Pattern.compile("([a-z-]+)\\s+at\\s+(\\d+\\w+)(?:\\s+for\\s+(\\d+\\w+))?");
    private static final String EXAMPLES =
            "write restart at 20s, kill at 20s, suspend at 5s for 2s, or stop-port at 5s for 2s";

    /** The kinds of faults. */
    public enum Kind {
        /** NiFi is stopped as an administrator would stop it, and started on the same ports. */
        RESTART,
        /** NiFi's process is killed, and NiFi is started on the same ports. */
        KILL,
        /** NiFi's process gets no processor time for a while (signals STOP and CONT). */
        SUSPEND,
        /** The port is stopped, and started after a while. */
        STOP_PORT;

        private boolean endsByItself() {
            return this == RESTART || this == KILL;
        }
    }

    /** Reads a fault; the message of an exception is fit for a user. */
    static Fault parse(final String text) {
        final Matcher fault = FAULT.matcher(text.strip());
        if (!fault.matches()) {
            throw new IllegalArgumentException("'%s' is not a fault: %s".formatted(text, EXAMPLES));
        }
        final Kind kind = kind(fault.group(1));
        final boolean timed = fault.group(3) != null;
        if (kind.endsByItself() == timed) {
            throw new IllegalArgumentException(
                    "'%s': %s".formatted(text, timed ? "a restart has no set length: leave 'for' out" : EXAMPLES));
        }
        return new Fault(kind, Units.time(fault.group(2)), timed ? Units.time(fault.group(3)) : Duration.ZERO);
    }

    private static Kind kind(final String word) {
        try {
            return Kind.valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException("'%s' is not a fault: %s".formatted(word, EXAMPLES), e);
        }
    }

    /** Whether the server's process ends by it, and another one takes its place. */
    public boolean endsProcess() {
        return kind.endsByItself();
    }
}
