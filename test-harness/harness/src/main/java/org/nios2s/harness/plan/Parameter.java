// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import static org.nios2s.harness.plan.Parameter.Kind.FLAG;
import static org.nios2s.harness.plan.Parameter.Kind.NUMBER;
import static org.nios2s.harness.plan.Parameter.Kind.SIZES;
import static org.nios2s.harness.plan.Parameter.Kind.TEXT;
import static org.nios2s.harness.plan.Parameter.Kind.TIME;
import static org.nios2s.harness.plan.Parameter.Kind.WORD;
import static org.nios2s.harness.plan.Parameter.Scope.LOAD;
import static org.nios2s.harness.plan.Parameter.Scope.PLAN;
import static org.nios2s.harness.plan.Parameter.Scope.PROBE;
import static org.nios2s.harness.plan.Parameter.Scope.TARGET;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.nios2s.harness.load.SizeMix;
import org.nios2s.harness.load.Units;

/**
 * Every setting of an experiment, with its name in presets and as an option, its default and its meaning. A constant,
 * used on every thread.
 */
public enum Parameter {
    LISTENER(TARGET, WORD, "nio", "Listener of a NiFi that is started: stock or nio", "stock|nio"),
    SINK(
            TARGET,
            WORD,
            "nifi",
            "Behind the listener: nifi, or null for a port that keeps nothing: the engine alone",
            "nifi|null",
            "client=wire|minifi|nio"),
    NIFI_HOME(
            TARGET,
            TEXT,
            "",
            "The NiFi 2 to start, as it was downloaded and unpacked; nothing in it is changed",
            "",
            "sink=nifi nifi-version="),
    NIFI_VERSION(
            TARGET,
            TEXT,
            "",
            "The release of NiFi 2 to start, put together by Maven; without it the one of this build",
            "",
            "sink=nifi"),
    SECURE(TARGET, FLAG, "false", "TLS with client certificates", "", "sink=nifi"),
    PROCESSORS(
            TARGET, NUMBER, "0", "Processors that a NiFi that is started may use (taskset); 0: those of the machine"),
    HEAP(TARGET, TEXT, "2g", "Heap of a NiFi that is started, as for -Xmx"),
    JVM_ARGS(TARGET, TEXT, "", "Further arguments of the JVM of a NiFi that is started, by spaces"),
    PORT_TASKS(TARGET, NUMBER, "4", "Concurrent tasks of each port"),
    PORTS(
            TARGET,
            NUMBER,
            "1",
            "Input ports; with 2 or more another processor counts how often it is triggered",
            "",
            "sink=nifi client=wire|minifi direction=push large=false",
            "triggers triggers-idle"),
    POOL(TARGET, NUMBER, "20", "Timer-driven threads that ports and processors share", "", "sink=nifi"),

    CLIENT(
            LOAD,
            WORD,
            "wire",
            "nifi: NiFi's own, a thread each; minifi: writes each field alone, as MiNiFi does; wire: ours, thousands of"
                    + " connections on a few threads; nio: this project's library, which shares connections",
            "nifi|minifi|wire|nio"),
    DIRECTION(LOAD, WORD, "push", "push or pull", "push|pull", "sink=nifi"),
    CLIENTS(LOAD, NUMBER, "100", "Clients, each with one transaction at a time"),
    CONNECTIONS(
            LOAD,
            NUMBER,
            "0",
            "Most connections that the clients of --client nio share; 0: one each",
            "",
            "client=nio"),
    DURATION(LOAD, TIME, "10s", "How long all clients are at work"),
    INTERVAL(
            LOAD,
            TIME,
            "0s",
            "Time between the intended starts of a client's transactions; 0s runs flat out",
            "",
            "large=false",
            "pace"),
    ARRIVALS(
            LOAD,
            WORD,
            "uniform",
            "Distribution of the starts of a pace: uniform, poisson (random), or bursts (all clients at the same moment)",
            "uniform|poisson|bursts",
            "interval=*"),
    STAGGER(LOAD, TIME, "10ms", "Time between the starts of two clients", "", "arrivals=uniform|poisson"),
    TIMEOUT(LOAD, TIME, "30s", "How long a client waits for the server in any step"),
    PACKETS(LOAD, NUMBER, "5", "Packets of a transaction, one for each FlowFile"),
    SIZE(LOAD, SIZES, "10b", "Content of a packet, such as 64k, or a mix, such as 70%10b+25%1k+5%100k"),
    ATTRIBUTES(LOAD, NUMBER, "0", "Attributes of a packet, in addition to its id", "", "large=false"),
    GZIP(LOAD, FLAG, "false", "Compresses packets on the wire", "", "client=wire|nifi|nio large=false"),
    RECONNECT(LOAD, FLAG, "false", "A connection per transaction", "", "client=wire|minifi"),
    LARGE(
            LOAD,
            FLAG,
            "false",
            "One FlowFile per client, made while it is sent and compared by checksum",
            "",
            "sink=nifi client=wire direction=push",
            "buffered"),
    SLOW_PEERS(
            PROBE,
            NUMBER,
            "0",
            "Further peers, each of which sends a byte per second inside a transaction",
            "",
            "",
            "slow-peers"),
    IDLE_PEERS(
            PROBE,
            NUMBER,
            "0",
            "Peers that connect before the clients and stay idle, to measure the cost of one",
            "",
            "",
            "idle-peers idle-refused idle-seconds idle-heap idle-heap-error idle-native idle-native-error idle-threads"),
    PEER_RATE(PROBE, NUMBER, "500", "Slow or idle peers that connect in each second"),
    LIVE_HEAP(
            PROBE,
            FLAG,
            "false",
            "Measures the heap after a full collection at the end of a run",
            "",
            "",
            "live-heap rss-after"),
    REPETITIONS(PROBE, NUMBER, "1", "Consecutive runs of each measurement; 4 or more show growth from one to the next"),

    ROUNDS(PLAN, NUMBER, "6", "How often everything is measured: A B, then B A, B A, A B, and so on"),
    STARTS(
            PLAN,
            NUMBER,
            "1",
            "How often every NiFi is started, each start with all rounds, since no two JVMs are alike"),
    WARMUP(PLAN, TIME, "10s", "How long each target is driven flat out before anything counts, shared by its rows"),
    LEAD(
            PLAN,
            TIME,
            "2s",
            "How long the same clients work right before each measurement without counting, with nothing beside them"),
    SETTLE(PLAN, TIME, "3s", "Pause before each run"),
    FRESH(PLAN, FLAG, "false", "A new NiFi for each measurement, one at a time");

    /** The group of a setting. */
    public enum Scope {
        /** The target: another value is another server. */
        TARGET,
        /** The load of the clients. */
        LOAD,
        /** Observations beside them. */
        PROBE,
        /** How the experiment goes; has one value for all of it. */
        PLAN
    }

    /** How a value is written. */
    public enum Kind {
        NUMBER,
        TIME,
        SIZE,
        SIZES,
        FLAG,
        WORD,
        TEXT
    }

    /** As a value that another setting needs: any but its default. */
    static final String ANY = "*";

    private final Scope scope;
    private final Kind kind;
    private final String defaultValue;
    private final String meaning;
    private final List<String> words;
    private final String needs;
    private final List<String> makes;

    Parameter(final Scope scope, final Kind kind, final String defaultValue, final String meaning) {
        this(scope, kind, defaultValue, meaning, "");
    }

    Parameter(final Scope scope, final Kind kind, final String defaultValue, final String meaning, final String words) {
        this(scope, kind, defaultValue, meaning, words, "");
    }

    Parameter(
            final Scope scope,
            final Kind kind,
            final String defaultValue,
            final String meaning,
            final String words,
            final String needs) {
        this(scope, kind, defaultValue, meaning, words, needs, "");
    }

    /**
     * @param words its values, where they are words
     * @param needs without which it would have no effect: settings, each with its possible values; * is any but the default
     * @param makes keys of the metrics that only it makes
     */
    Parameter(
            final Scope scope,
            final Kind kind,
            final String defaultValue,
            final String meaning,
            final String words,
            final String needs,
            final String makes) {
        this.scope = scope;
        this.kind = kind;
        this.defaultValue = defaultValue;
        this.meaning = meaning;
        this.words = List.of((kind == Kind.FLAG ? "true|false" : words).split("\\|"));
        this.needs = needs;
        this.makes = List.of(makes.split(" "));
    }

    /** The parameter of a name in a preset. */
    public static Optional<Parameter> find(final String name) {
        return Arrays.stream(values())
                .filter(parameter -> parameter.key().equals(name))
                .findFirst();
    }

    static List<String> keys() {
        return Arrays.stream(values()).map(Parameter::key).toList();
    }

    static String names(final Scope wanted) {
        return Arrays.stream(values())
                .filter(parameter -> parameter.scope() == wanted)
                .map(Parameter::key)
                .collect(Collectors.joining(", "));
    }

    static String names() {
        return String.join(", ", keys());
    }

    /** Name in presets; as an option with two dashes before it. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public Scope scope() {
        return scope;
    }

    public Kind kind() {
        return kind;
    }

    /** Value when nobody gives one. */
    public String defaultValue() {
        return defaultValue;
    }

    /** Its effect, for the help. */
    public String meaning() {
        return meaning;
    }

    /** The setting that alone makes a metric, if there is one. */
    public static Optional<Parameter> making(final String metric) {
        return Arrays.stream(values())
                .filter(parameter -> parameter.makes.contains(metric))
                .findFirst();
    }

    /** Without what it would have no effect: settings, each with its possible values; none when nothing is needed. */
    Map<Parameter, List<String>> needs() {
        return Arrays.stream(needs.split(" "))
                .filter(need -> !need.isEmpty())
                .map(need -> need.split("=", 2))
                .collect(Collectors.toMap(
                        pair -> find(pair[0]).orElseThrow(),
                        pair -> List.of(pair[1].split("\\|")),
                        (first, second) -> second,
                        LinkedHashMap::new));
    }

    /** Checks a value as it was written; the message of an exception is fit for a user. */
    void check(final String value) {
        try {
            switch (kind) {
                case NUMBER -> {
                    if (Integer.parseInt(value) < 0) {
                        throw new NumberFormatException("negative");
                    }
                }
                case TIME -> Units.time(value);
                case SIZE -> Units.bytes(value);
                case SIZES -> SizeMix.parse(value);
                case FLAG, WORD -> {
                    if (!words.contains(value)) {
                        throw new IllegalArgumentException("'" + value + "' is none of " + String.join(", ", words));
                    }
                }
                default -> value.strip();
            }
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException(key() + ": '" + value + "' is not a whole number from 0 on", e);
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException(key() + ": " + e.getMessage(), e);
        }
    }
}
