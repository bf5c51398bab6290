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
import java.util.List;
import java.util.Locale;
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
            "nifi|null"),
    NIFI_HOME(TARGET, TEXT, "", "The NiFi 2 to start, as it was downloaded and unpacked; nothing in it is changed"),
    NIFI_VERSION(
            TARGET,
            TEXT,
            "",
            "The release of NiFi 2 to start, put together by Maven; without it the one of this build"),
    NODES(TARGET, NUMBER, "1", "Nodes of a NiFi that is started, 2 or more for a cluster"),
    SECURE(TARGET, FLAG, "false", "TLS with client certificates"),
    PROCESSORS(
            TARGET,
            NUMBER,
            "0",
            "Processors that a NiFi that is started may use, all of its nodes together (taskset); 0: those of the machine"),
    HEAP(TARGET, TEXT, "2g", "Heap of a NiFi that is started, as for -Xmx"),
    GC(
            TARGET,
            WORD,
            "",
            "Garbage collector: serial, parallel, g1, z, shenandoah; without it the JVM's own choice",
            "serial|parallel|g1|z|shenandoah"),
    JVM_ARGS(TARGET, TEXT, "", "Further arguments of the JVM of a NiFi that is started, by spaces"),
    PORT_TASKS(TARGET, NUMBER, "4", "Concurrent tasks of each port"),
    PORTS(TARGET, NUMBER, "1", "Input ports; with 2 or more another processor counts how often it is triggered"),
    POOL(TARGET, NUMBER, "20", "Timer-driven threads that ports and processors share"),
    ROUTE(
            TARGET,
            WORD,
            "direct",
            "direct, or stored: through a NiFi in between with a Remote Process Group",
            "direct|stored"),

    CLIENT(
            LOAD,
            WORD,
            "wire",
            "nifi: NiFi's own, a thread each; group: the Remote Process Group of another NiFi, as fast as it goes; minifi: writes each field alone, as MiNiFi does; wire: ours, thousands of"
                    + " connections on a few threads; nio: this project's library, which shares connections",
            "nifi|group|minifi|wire|nio|stock"),
    DIRECTION(LOAD, WORD, "push", "push or pull", "push|pull"),
    CLIENTS(LOAD, NUMBER, "100", "Clients, each with one transaction at a time"),
    CONNECTIONS(LOAD, NUMBER, "0", "Most connections that the clients of --client nio share; 0: one each"),
    DURATION(LOAD, TIME, "10s", "How long all clients are at work"),
    TRANSACTIONS(LOAD, NUMBER, "0", "Transactions of each client, in place of a duration"),
    REQUESTS(LOAD, NUMBER, "0", "Transactions of all clients together, in place of a duration"),
    INTERVAL(LOAD, TIME, "0s", "Time between the intended starts of a client's transactions; 0s runs flat out"),
    RATE(LOAD, NUMBER, "0", "Transactions per second of all clients together, in place of an interval"),
    ARRIVALS(
            LOAD,
            WORD,
            "uniform",
            "Distribution of the starts of a pace: uniform, poisson (random), or bursts (all clients at the same moment)",
            "uniform|poisson|bursts"),
    STAGGER(LOAD, TIME, "10ms", "Time between the starts of two clients"),
    TIMEOUT(LOAD, TIME, "60s", "How long a client waits for the server in any step"),
    PACKETS(LOAD, NUMBER, "5", "Packets of a transaction, one for each FlowFile"),
    SIZE(LOAD, SIZES, "10b", "Content of a packet, as 64k, or a mix, as 70%10b+25%1k+5%100k"),
    ATTRIBUTES(LOAD, NUMBER, "0", "Attributes of a packet, in addition to its id"),
    ATTRIBUTE_SIZE(LOAD, Kind.SIZE, "20b", "Characters of an attribute"),
    GZIP(LOAD, FLAG, "false", "Compresses packets on the wire"),
    RECONNECT(LOAD, FLAG, "false", "A connection per transaction; --client wire only"),
    LARGE(LOAD, FLAG, "false", "One FlowFile per client, made while it is sent and compared by checksum"),
    FAULT(
            PROBE,
            Kind.FAULT,
            "",
            "What happens to NiFi in mid-run: restart, kill (and start), suspend or stop-port, as 'restart at 20s' or"
                    + " 'suspend at 5s for 2s'"),
    SLOW_PEERS(PROBE, NUMBER, "0", "Further peers, each of which sends a byte per second inside a transaction"),
    IDLE_PEERS(PROBE, NUMBER, "0", "Peers that connect before the clients and stay idle, to measure the cost of one"),
    PEER_RATE(PROBE, NUMBER, "500", "Slow or idle peers that connect in each second"),
    LIVE_HEAP(PROBE, FLAG, "false", "Measures the heap after a full collection at the end of a run"),
    STUCK(PROBE, TIME, "1s", "A transaction that takes longer counts as stuck"),
    REPETITIONS(PROBE, NUMBER, "1", "Consecutive runs of each measurement; 4 or more show growth from one to the next"),

    ROUNDS(PLAN, NUMBER, "6", "How often everything is measured: in order, then backwards, and so on"),
    STARTS(
            PLAN,
            NUMBER,
            "1",
            "How often every NiFi is started, each start with all rounds, since no two JVMs are alike"),
    WARMUP(PLAN, TIME, "10s", "How long each target is driven flat out before anything counts, shared by its rows"),
    SETTLE(PLAN, TIME, "3s", "Pause before each run, in which the target's idle cost is measured"),
    FRESH(PLAN, FLAG, "false", "A new NiFi for each measurement, one at a time"),
    PAUSE(PLAN, FLAG, "true", "Stops the other processes during a measurement (signals STOP and CONT)"),
    PROFILE(
            PLAN,
            FLAG,
            "false",
            "An additional run of each kind, which does not count, with a flight recording and flame graph");

    /** What a setting belongs to. */
    public enum Scope {
        /** What is measured: another value is another server. */
        TARGET,
        /** What the clients do. */
        LOAD,
        /** What is looked at or done beside them. */
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
        FAULT,
        TEXT
    }

    private final Scope scope;
    private final Kind kind;
    private final String defaultValue;
    private final String meaning;
    private final List<String> words;

    Parameter(final Scope scope, final Kind kind, final String defaultValue, final String meaning) {
        this(scope, kind, defaultValue, meaning, "");
    }

    Parameter(final Scope scope, final Kind kind, final String defaultValue, final String meaning, final String words) {
        this.scope = scope;
        this.kind = kind;
        this.defaultValue = defaultValue;
        this.meaning = meaning;
        this.words = List.of((kind == Kind.FLAG ? "true|false" : words).split("\\|"));
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

    /** What it does, for the help. */
    public String meaning() {
        return meaning;
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
                case FAULT -> Fault.parse(value);
                case FLAG, WORD -> {
                    if (!words.contains(value)) {
                        throw new IllegalArgumentException("'" + value + "' is none of " + String.join(", ", words));
                    }
                }
                default -> value.strip();
            }
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException(key() + ": '" + value + "' is no whole number from 0 on", e);
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException(key() + ": " + e.getMessage(), e);
        }
    }
}
