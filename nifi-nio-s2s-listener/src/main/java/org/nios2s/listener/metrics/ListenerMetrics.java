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
 * The counters and histograms of a listener, or of one of its ports, whose counts the listener's include. Thread-safe: written by
 * IO workers and port tasks, which never wait here; read by any thread.
 */
public final class ListenerMetrics implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(ListenerMetrics.class);

    /** Counts since the start; docs/metrics.md has a row for each. */
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
        FLOW_FILES_ABSORBED,
        BYTES_RECEIVED,
        COMMITS,
        PULLS_COMMITTED,
        PULLS_ROLLED_BACK,
        PULLS_EMPTY,
        FLOW_FILES_SENT,
        BYTES_SENT
    }

    /** Distributions over the current and the previous minute; docs/metrics.md has a row for each. */
    public enum Histogram {
        HANDSHAKE_TIME_MS,
        RECEIVE_TIME_MS,
        QUEUE_TIME_MS,
        COMMIT_TIME_MS,
        SEND_TIME_MS,
        WORKER_DELAY_MS,
        COMMIT_SIZE;

        /** @return how many recorded units make one of the published ones: times are recorded in nanoseconds */
        private double unit() {
            if (this == COMMIT_SIZE) {
                return 1;
            }
            return TimeUnit.MILLISECONDS.toNanos(1);
        }
    }

    private static final Set<Counter> COUNTERS_OF_A_PORT = EnumSet.range(Counter.FAULTS, Counter.BYTES_SENT);
    private static final long MAX_VALUE = TimeUnit.HOURS.toNanos(1);
    private static final int SIGNIFICANT_DIGITS = 2;
    private static final double MEDIAN = 50;
    private static final double HIGH_PERCENTILE = 99;
    private static final Pattern WORD = Pattern.compile("([A-Z])([A-Z]*)_?");

    /** Time after a commit of several pushes during which the listener counts as busy. */
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final String name;
    private final NanoClock clock;
    /** The listener's metrics, to which those of a port are added; null for the listener's own. */
    private final ListenerMetrics parent;

    /** By the ordinal of the {@link Counter}. */
    private final List<LongAdder> counters =
            Stream.generate(LongAdder::new).limit(Counter.values().length).toList();

    private volatile long sharedCommitNanos;

    /** By the ordinal of the {@link Histogram}. */
    private volatile List<AtomicHistogram> thisMinute;

    private volatile List<AtomicHistogram> lastMinute;

    private final Map<String, ListenerMetrics> ports = new HashMap<>();
    private final PeerStatistics peers;
    private boolean isUnpublishedReported;
    private ObjectName bean;
    private ObjectName peersBean;

    /** @param port on which the listener listens */
    public ListenerMetrics(final int port, final NanoClock clock) {
        this.name = "org.nios2s:type=SiteToSiteListener,port=" + port;
        this.clock = clock;
        this.parent = null;
        this.peers = new PeerStatistics(clock);
        this.sharedCommitNanos = clock.nanoTime() - BUSY_NANOS;
        this.lastMinute = newMinute();
        this.thisMinute = newMinute();
    }

    /** Makes the metrics of a port: its counters are its own, everything else is the listener's. */
    private ListenerMetrics(final String name, final ListenerMetrics parent) {
        this.name = name;
        this.clock = parent.clock;
        this.parent = parent;
        this.peers = parent.peers;
    }

    private ListenerMetrics listener() {
        if (parent == null) {
            return this;
        }
        return parent;
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

    /** Counts a commit of pushes that has returned. */
    public void committed(final int transactions, final int flowFiles, final long contentBytes) {
        if (transactions > 1) {
            listener().sharedCommitNanos = clock.nanoTime();
        }
        record(Histogram.COMMIT_SIZE, transactions);
        add(Counter.COMMITS, 1);
        add(Counter.PUSHES_COMMITTED, transactions);
        add(Counter.FLOW_FILES_RECEIVED, flowFiles);
        add(Counter.BYTES_RECEIVED, contentBytes);
    }

    /** @return whether pushes come faster than single commits could take them */
    public boolean isBusy() {
        return clock.nanoTime() - sharedCommitNanos < BUSY_NANOS;
    }

    /** Counts a pull that was committed. */
    public void sent(final int flowFiles, final long contentBytes) {
        add(Counter.PULLS_COMMITTED, 1);
        add(Counter.FLOW_FILES_SENT, flowFiles);
        add(Counter.BYTES_SENT, contentBytes);
    }

    /** @param startNanos when the measured operation began, by the listener's clock */
    public void recordSince(final Histogram histogram, final long startNanos) {
        record(histogram, clock.nanoTime() - startNanos);
    }

    /** @param value a time in nanoseconds, or a number */
    public void record(final Histogram histogram, final long value) {
        listener().thisMinute.get(histogram.ordinal()).recordValue(Math.clamp(value, 0, MAX_VALUE));
    }

    /** @return the maximum of the current minute */
    public double maxOfThisMinute(final Histogram histogram) {
        return thisMinute.get(histogram.ordinal()).getMaxValue() / histogram.unit();
    }

    /** Makes the current minute the previous one. */
    public void startNextMinute() {
        lastMinute = thisMinute;
        thisMinute = newMinute();
    }

    private double recent(final Histogram histogram, final ToLongFunction<AbstractHistogram> figure) {
        final AtomicHistogram recent = lastMinute.get(histogram.ordinal()).copy();
        recent.add(thisMinute.get(histogram.ordinal()));
        return figure.applyAsLong(recent) / histogram.unit();
    }

    /** @return the metrics of a port, kept until {@link #retainPorts} finds the port gone, and published if the listener's are */
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

    /** Forgets ports that are gone, with their beans. The listener's counters keep what these ports have counted. */
    public void retainPorts(final Predicate<String> exists) {
        // Without the lock here: the predicate may wait for a lock under which others ask for the metrics of a port.
        forget(knownPorts().stream().filter(exists.negate()).toList());
    }

    private synchronized List<String> knownPorts() {
        return List.copyOf(ports.keySet());
    }

    private synchronized void forget(final List<String> gone) {
        for (final String id : gone) {
            final ListenerMetrics port = ports.remove(id);
            if (port != null) {
                port.close();
            }
        }
    }

    /** Publishes as {@link #publish(Map, Map)} does, without operations. */
    public void publish(final Map<String, Supplier<Number>> gauges) {
        publish(gauges, Map.of());
    }

    /**
     * Publishes counters, histograms and further gauges over JMX until {@link #close}, and makes operations callable. A failure is a
     * WARN: the listener serves without metrics.
     */
    public synchronized void publish(
            final Map<String, Supplier<Number>> gauges, final Map<String, Operation> operations) {
        final Map<String, Supplier<Number>> figures = new TreeMap<>(gauges);
        for (final Counter counter : publishedCounters()) {
            figures.put(inCamelCase(counter), () -> get(counter));
        }
        if (parent == null) {
            for (final Histogram histogram : Histogram.values()) {
                addFigures(histogram, figures);
            }
        }
        bean = register(new MetricsBean(figures, operations), name);
    }

    private Set<Counter> publishedCounters() {
        if (parent == null) {
            return EnumSet.allOf(Counter.class);
        }
        return COUNTERS_OF_A_PORT;
    }

    private void addFigures(final Histogram histogram, final Map<String, Supplier<Number>> figures) {
        final String prefix = inCamelCase(histogram);
        figures.put(prefix + "50thPercentile", () -> recent(histogram, all -> all.getValueAtPercentile(MEDIAN)));
        figures.put(
                prefix + "99thPercentile", () -> recent(histogram, all -> all.getValueAtPercentile(HIGH_PERCENTILE)));
        figures.put(prefix + "Max", () -> recent(histogram, AbstractHistogram::getMaxValue));
    }

    /**
     * Publishes the lists of peers, in a bean of its own since these figures are texts.
     *
     * @param lastProgressNanos the time of the last progress on any connection of each connected peer, by the listener's clock
     */
    public synchronized void publishPeers(final Supplier<Map<String, Long>> lastProgressNanos) {
        peersBean = register(
                new MetricsBean(new TreeMap<>(peers.figures(lastProgressNanos)), Map.of()),
                name.replace("Listener", "Peers"));
    }

    /** @return the lists of peers, over all ports */
    public PeerStatistics peers() {
        return peers;
    }

    private ObjectName register(final MetricsBean figures, final String beanName) {
        try {
            return ManagementFactory.getPlatformMBeanServer()
                    .registerMBean(figures, new ObjectName(beanName))
                    .getObjectName();
        } catch (final JMException | RuntimeException | LinkageError e) {
            listener().reportUnpublished(beanName, e);
            return null;
        }
    }

    /** Logs the first bean that can't be registered. Where JMX is missing all of them fail alike. */
    private synchronized void reportUnpublished(final String beanName, final Throwable cause) {
        if (isUnpublishedReported) {
            logger.debug("The metrics {} can't be read over JMX", beanName, cause);
            return;
        }
        isUnpublishedReported = true;
        logger.warn(
                "The metrics {} can't be read over JMX; the listener serves without them. Restart NiFi to try again. The cause: {}",
                beanName,
                cause.toString());
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
            Guarded.run("Unregistering the metrics " + registered, () -> ManagementFactory.getPlatformMBeanServer()
                    .unregisterMBean(registered));
        }
    }
}
