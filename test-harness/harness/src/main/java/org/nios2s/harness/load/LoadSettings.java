// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.time.Duration;

/**
 * The data that a load run sends or fetches. Immutable, read by every client's thread.
 *
 * @param clients      logical clients, each with one transaction at a time
 * @param transactions transactions of each client, or {@link #UNLIMITED} when only the duration ends the run
 * @param duration     how long transactions begin, or zero when only their number ends the run
 * @param interval     between the intended starts of a client's transactions, or zero for flat out
 * @param stagger      between the starts of two clients
 * @param timeout      how long a client waits for the server in any step
 * @param shape        what a transaction looks like
 * @param connection   what it goes over
 * @param arrivals     how the starts of a pace lie
 */
public record LoadSettings(
        int clients,
        int transactions,
        Duration duration,
        Duration interval,
        Duration stagger,
        Duration timeout,
        Shape shape,
        Connection connection,
        Arrivals arrivals) {

    public static final int UNLIMITED = 0;

    /** Most clients of a run: an address has no more ports. */
    public static final int MAX_CLIENTS = 60_000;

    private static final int MAX_TRANSACTIONS = 10_000_000;
    private static final int MAX_PACKETS = 1_000_000;
    private static final int MAX_ATTRIBUTES = 10_000;
    private static final long MAX_SIZE = 64L << 30;
    private static final Duration MAX_TIME = Duration.ofHours(24);

    /** Which way FlowFiles go. */
    public enum Direction {
        /** From the clients into an input port. */
        PUSH,
        /** From an output port to the clients. */
        PULL
    }

    /**
     * The shape of a transaction.
     *
     * @param direction     which way it goes
     * @param packets       packets of it; of a pull the most
     * @param size          content of each
     * @param attributes    attributes of each, beside the packet's id
     * @param attributeSize characters of an attribute's value
     * @param gzip          whether packets are compressed on the wire
     */
    public record Shape(
            Direction direction, int packets, SizeMix size, int attributes, int attributeSize, boolean gzip) {

        public Shape {
            requireBetween("packets", packets, 1, MAX_PACKETS);
            requireBetween("attributes", attributes, 0, MAX_ATTRIBUTES);
            if (size.largest() > MAX_SIZE) {
                throw new IllegalArgumentException("size must be at most " + Units.text(MAX_SIZE) + ", not " + size);
            }
        }

        /** A push of packets that are all alike. */
        public static Shape push(final int packets, final long size) {
            return new Shape(Direction.PUSH, packets, SizeMix.of(size), 0, 0, false);
        }

        /** The same as a processor inside NiFi makes it: all packets of one size. */
        public Shape ofOneSize() {
            return new Shape(direction, packets, SizeMix.of(size.largest()), attributes, attributeSize, gzip);
        }
    }

    /**
     * The transport of transactions.
     *
     * @param secure    whether it is TLS
     * @param reconnect whether each transaction has a connection of its own
     * @param max       most connections that the clients share, for a client that shares any; 0: one for each
     */
    public record Connection(boolean secure, boolean reconnect, int max) {

        /** Plain TCP, kept from one transaction to the next. */
        public static final Connection KEPT = new Connection(false, false, 0);
    }

    /** A load whose starts lie evenly. */
    public LoadSettings(
            final int clients,
            final int transactions,
            final Duration duration,
            final Duration interval,
            final Duration stagger,
            final Duration timeout,
            final Shape shape,
            final Connection connection) {
        this(clients, transactions, duration, interval, stagger, timeout, shape, connection, Arrivals.UNIFORM);
    }

    /** Checks the numbers; the message of an exception is fit for a user. */
    public LoadSettings {
        requireBetween("clients", clients, 1, MAX_CLIENTS);
        requireBetween("transactions", transactions, UNLIMITED, MAX_TRANSACTIONS);
        requireTime("duration", duration);
        requireTime("interval", interval);
        requireTime("stagger", stagger);
        requireTime("timeout", timeout);
        if (timeout.isZero()) {
            throw new IllegalArgumentException("timeout must be longer than 0, otherwise no transaction can succeed");
        }
        if (transactions == UNLIMITED && duration.isZero()) {
            throw new IllegalArgumentException("either transactions or duration must be more than 0: nothing to do");
        }
    }

    /** The same load over TLS or plain TCP, with a connection for each transaction or not. */
    public LoadSettings over(final boolean secured, final boolean reconnecting) {
        final Connection other = new Connection(secured, reconnecting, connection.max());
        return new LoadSettings(clients, transactions, duration, interval, stagger, timeout, shape, other, arrivals);
    }

    /**
     * Packets of the same kind from as many clients, as fast as they go and for some time: to warm a server up.
     */
    public LoadSettings flatOutFor(final Duration time) {
        // All at work after half of the time, however many they are.
        final Duration ramp = time.dividedBy(2L * clients);
        final Duration apart = ramp.compareTo(stagger) < 0 ? ramp : stagger;
        return new LoadSettings(
                clients, UNLIMITED, time.dividedBy(2), Duration.ZERO, apart, timeout, shape, connection, arrivals);
    }

    /** The same for another time, most of it with all clients at work. */
    public LoadSettings lasting(final Duration time) {
        final Duration ramp = time.dividedBy(2L * clients);
        final Duration apart = ramp.compareTo(stagger) < 0 ? ramp : stagger;
        return new LoadSettings(clients, transactions, time, interval, apart, timeout, shape, connection, arrivals);
    }

    /** Whether clients have a pace rather than work flat out. */
    public boolean paced() {
        return !interval.isZero();
    }

    /** Transactions per second that the pace asks of all clients together; 0 flat out. */
    public double intendedPerSecond() {
        return paced() ? clients * (double) Duration.ofSeconds(1).toNanos() / interval.toNanos() : 0;
    }

    /** Transactions of all clients together, or {@link #UNLIMITED} when only the duration ends the run. */
    public long totalTransactions() {
        return (long) clients * transactions;
    }

    private static void requireBetween(final String name, final int value, final int min, final int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException("%s must be between %d and %d, not %d".formatted(name, min, max, value));
        }
    }

    private static void requireTime(final String name, final Duration value) {
        if (value.isNegative() || value.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException(
                    "%s must be between 0 and %d h, not %s".formatted(name, MAX_TIME.toHours(), value));
        }
    }
}
