// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import java.util.List;
import java.util.Optional;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;

/** Whether a run with these settings can produce a metric, known before the run. Stateless, any thread. */
final class Availability {

    private static final List<String> OF_SERVER =
            List.of("cpu", "cpu-net", "server-percent", "threads", "rss", "live-heap", "rss-after");
    private static final List<String> OF_LEDGER = List.of("lost", "duplicated", "damaged", "arrived");

    private Availability() {}

    /** What a run with these settings lacks for a metric; empty when it can have it. {@code seen}: its process is here. */
    static Optional<String> missing(final Metric metric, final Settings settings, final boolean seen) {
        final String key = metric.key();
        final String client = settings.text(Parameter.CLIENT);
        final boolean watched = !client.equals("group");
        if (key.equals("pace")) {
            return unless(settings.load().paced(), "a pace: interval or rate");
        }
        if (OF_SERVER.contains(key) && !seen) {
            return Optional.of("the process of a NiFi that the harness starts, or of --home");
        }
        if (OF_LEDGER.contains(key)) {
            final boolean counted = seen
                    && (!key.equals("arrived")
                            || client.equals("group")
                            || settings.text(Parameter.DIRECTION).equals("push"))
                    && !settings.text(Parameter.SINK).equals("null");
            return unless(counted, "a ledger: a NiFi that the harness starts");
        }
        if (metric.isTime() || key.equals("longest-gap")) {
            return unless(watched, "clients, and %s is none".formatted(client));
        }
        if (key.equals("cpu") && !settings.beside().isEmpty()) {
            return Optional.of("a load alone: what several loads cost together is in server-percent");
        }
        return ofProbe(key, settings);
    }

    private static Optional<String> ofProbe(final String key, final Settings settings) {
        return switch (key) {
            case "slow-peers" -> needs(settings.number(Parameter.SLOW_PEERS) > 0, "slow-peers");
            case "live-heap", "rss-after" -> needs(settings.flag(Parameter.LIVE_HEAP), "live-heap");
            case "triggers", "triggers-idle" -> needs(settings.number(Parameter.PORTS) > 1, "ports, 2 or more");
            case "buffered" -> needs(settings.flag(Parameter.LARGE), "large");
            case "between-percent" -> needs(settings.text(Parameter.ROUTE).equals("stored"), "route stored");
            case "idle-peers",
                    "idle-refused",
                    "idle-seconds",
                    "idle-heap",
                    "idle-heap-error",
                    "idle-native",
                    "idle-native-error",
                    "idle-threads" -> needs(settings.number(Parameter.IDLE_PEERS) > 0, "idle-peers");
            default -> Optional.empty();
        };
    }

    private static Optional<String> needs(final boolean there, final String setting) {
        return unless(there, "the setting " + setting);
    }

    private static Optional<String> unless(final boolean there, final String words) {
        return there ? Optional.empty() : Optional.of(words);
    }
}
