// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.metrics;

import java.lang.management.ManagementFactory;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.AtomicHistogram;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.time.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a listener counts since its start and measures of late; or what one of its ports does, which its listener counts,
 * too. Thread-safe: written by IO workers and port tasks, which never wait here; read by any thread.
 */
public final class ListenerMetrics implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(ListenerMetrics.class);

    /** What is counted, since the start; each is told of in docs/metrics.md. */
    public enum Counter {
        CONNECTIONS_ACCEPTED,
        CONNECTIONS_CLOSED,
        TLS_HANDSHAKES,
        TLS_RESUMPTIONS,
        PEER_LISTS,
        FAULTS,
        QUICK_ACKS,
        PUSHES_COMMITTED,
        PUSHES_ROLLED_BACK,
        PUSHES_CANCELLED,
        PUSHES_INFLATED_ABNORMALLY,
        FLOW_FILES_RECEIVED,
        BYTES_RECEIVED,
        COMMITS,
        PULLS_COMMITTED,
        PULLS_ROLLED_BACK,
        PULLS_EMPTY,
        FLOW_FILES_SENT,
        BYTES_SENT
    }

    /** What is measured, of this minute and the one before; as told there. */
    public enum Histogram {
        HANDSHAKE_TIME_MS,
        RECEIVE_TIME_MS,
        QUEUE_TIME_MS,
        COMMIT_TIME_MS,
        SEND_TIME_MS,
        WORKER_DELAY_MS,
        COMMIT_SIZE;

        /** Times are recorded in nanoseconds. */
        private double unit() {
            return this == COMMIT_SIZE ? 1 : TimeUnit.MILLISECONDS.toNanos(1);
        }
    }

    private static final Set<Counter> COUNTERS_OF_A_PORT = EnumSet.range(Counter.FAULTS, Counter.BYTES_SENT);
    private static final long MAX_VALUE = TimeUnit.HOURS.toNanos(1);
    private static final int SIGNIFICANT_DIGITS = 2;
    private static final Pattern WORD = Pattern.compile("([A-Z])([A-Z]*)_?");

    private final String name;
    /** What a port's are part of; null for a listener's own. */
    private final ListenerMetrics parent;

    /** By the ordinal of what is counted. */
    private final List<LongAdder> counters =
            Stream.generate(LongAdder::new).limit(Counter.values().length).toList();

    /** For so long after a commit of several pushes small ones are taken to crowd. */
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private volatile long sharedCommitNanos = System.nanoTime() - BUSY_NANOS;

    /** By the ordinal of what is measured. */
    private volatile List<AtomicHistogram> thisMinute;

    private volatile List<AtomicHistogram> lastMinute;

    private final Map<String, ListenerMetrics> ports = new HashMap<>();
    private final PeerStatistics peers;
    private ObjectName bean;
    private ObjectName peersBean;

    /** @param port on which the listener listens */
    public ListenerMetrics(final int port) {
        this("org.nios2s:type=SiteToSiteListener,port=" + port, null);
        lastMinute = newMinute();
        thisMinute = newMinute();
    }

    private ListenerMetrics(final String name, final ListenerMetrics parent) {
        this.name = name;
        this.parent = parent;
        this.peers = parent == null ? new PeerStatistics(NanoClock.SYSTEM) : parent.peers;
    }

    private static List<AtomicHistogram> newMinute() {
        return Stream.generate(() -> new AtomicHistogram(MAX_VALUE, SIGNIFICANT_DIGITS))
                .limit(Histogram.values().length)
                .toList();
    }

    public void add(final Counter counter, final long more) {
        counters.get(counter.ordinal()).add(more);
        if (parent != null) {
            parent.add(counter, more);
        }
    }

    public long get(final Counter counter) {
        return counters.get(counter.ordinal()).sum();
    }

    public long openConnections() {
        return get(Counter.CONNECTIONS_ACCEPTED) - get(Counter.CONNECTIONS_CLOSED);
    }

    /** A commit of pushes returned. */
    public void committed(final int transactions, final int flowFiles, final long contentBytes) {
        if (transactions > 1) {
            (parent == null ? this : parent).sharedCommitNanos = System.nanoTime();
        }
        record(Histogram.COMMIT_SIZE, transactions);
        add(Counter.COMMITS, 1);
        add(Counter.PUSHES_COMMITTED, transactions);
        add(Counter.FLOW_FILES_RECEIVED, flowFiles);
        add(Counter.BYTES_RECEIVED, contentBytes);
    }

    /** @return whether pushes come faster than they could be committed one by one */
    public boolean isBusy() {
        return System.nanoTime() - sharedCommitNanos < BUSY_NANOS;
    }

    /** A pull was committed. */
    public void sent(final int flowFiles, final long contentBytes) {
        add(Counter.PULLS_COMMITTED, 1);
        add(Counter.FLOW_FILES_SENT, flowFiles);
        add(Counter.BYTES_SENT, contentBytes);
    }

    /** @param startNanos when what has just ended began, as {@link System#nanoTime} */
    public void recordSince(final Histogram histogram, final long startNanos) {
        record(histogram, System.nanoTime() - startNanos);
    }

    /** @param value a time in nanoseconds, or a number */
    public void record(final Histogram histogram, final long value) {
        final ListenerMetrics listener = parent == null ? this : parent;
        listener.thisMinute.get(histogram.ordinal()).recordValue(Math.clamp(value, 0, MAX_VALUE));
    }

    /** @return the most that was measured in this minute */
    public double maxOfThisMinute(final Histogram histogram) {
        return thisMinute.get(histogram.ordinal()).getMaxValue() / histogram.unit();
    }

    /** A minute is over. */
    public void startNextMinute() {
        lastMinute = thisMinute;
        thisMinute = newMinute();
    }

    private double recent(final Histogram histogram, final ToLongFunction<AbstractHistogram> figure) {
        final AtomicHistogram recent = lastMinute.get(histogram.ordinal()).copy();
        recent.add(thisMinute.get(histogram.ordinal()));
        return figure.applyAsLong(recent) / histogram.unit();
    }

    /** @return those of a port, kept until {@link #retainPorts} finds it gone, and published if the listener's are */
    public synchronized ListenerMetrics ofPort(
            final String id, final String portName, final Map<String, Supplier<Number>> gauges) {
        return ports.computeIfAbsent(id, unknown -> {
            final String named = name.replace("Listener", "Port") + ",id=" + id + ",name="
                    + ObjectName.quote(String.valueOf(portName));
            final ListenerMetrics own = new ListenerMetrics(named, this);
            if (bean != null) {
                own.publish(gauges);
            }
            return own;
        });
    }

    /** Forgets ports that are gone: their beans, and the counts in them. The listener's own counts keep what they did. */
    public synchronized void retainPorts(final Predicate<String> exists) {
        ports.entrySet().removeIf(port -> {
            final boolean gone = !exists.test(port.getKey());
            if (gone) {
                port.getValue().close();
            }
            return gone;
        });
    }

    /** As {@link #publish(Map, Map)}, with nothing to be called. */
    public void publish(final Map<String, Supplier<Number>> gauges) {
        publish(gauges, Map.of());
    }

    /**
     * Makes all of it, and further figures, readable over JMX until it is closed, and operations callable; if that fails, it is a
     * WARN and no more.
     */
    public synchronized void publish(
            final Map<String, Supplier<Number>> gauges, final Map<String, Operation> operations) {
        final Map<String, Supplier<Number>> figures = new TreeMap<>(gauges);
        (parent == null ? EnumSet.allOf(Counter.class) : COUNTERS_OF_A_PORT)
                .forEach(counter -> figures.put(inCamelCase(counter), () -> get(counter)));
        for (final Histogram histogram : parent == null ? Histogram.values() : new Histogram[0]) {
            final String prefix = inCamelCase(histogram);
            figures.put(prefix + "50thPercentile", () -> recent(histogram, all -> all.getValueAtPercentile(50)));
            figures.put(prefix + "99thPercentile", () -> recent(histogram, all -> all.getValueAtPercentile(99)));
            figures.put(prefix + "Max", () -> recent(histogram, AbstractHistogram::getMaxValue));
        }
        bean = register(new MetricsBean(figures, operations), name);
    }

    /**
     * Makes readable which peers stand out, in a bean of its own, since these figures are texts.
     *
     * @param lastProgressNanos when something last moved on a connection of a peer that has one, as {@link System#nanoTime}
     */
    public synchronized void publishPeers(final Supplier<Map<String, Long>> lastProgressNanos) {
        peersBean = register(
                new MetricsBean(new TreeMap<>(peers.figures(lastProgressNanos)), Map.of()),
                name.replace("Listener", "Peers"));
    }

    /** @return which peers stand out, over all ports */
    public PeerStatistics peers() {
        return peers;
    }

    private static ObjectName register(final MetricsBean figures, final String name) {
        try {
            return ManagementFactory.getPlatformMBeanServer()
                    .registerMBean(figures, new ObjectName(name))
                    .getObjectName();
        } catch (final JMException | RuntimeException e) {
            logger.warn("The metrics {} can't be read over JMX: {}", name, e.toString());
            return null;
        }
    }

    private static String inCamelCase(final Enum<?> constant) {
        return WORD.matcher(constant.name())
                .replaceAll(word -> word.group(1) + word.group(2).toLowerCase(Locale.ROOT));
    }

    @Override
    public synchronized void close() {
        ports.values().forEach(ListenerMetrics::close);
        unregister(bean);
        bean = null;
        unregister(peersBean);
        peersBean = null;
    }

    private static void unregister(final ObjectName registered) {
        if (registered != null) {
            Guarded.run("The end of " + registered, () -> ManagementFactory.getPlatformMBeanServer()
                    .unregisterMBean(registered));
        }
    }
}
