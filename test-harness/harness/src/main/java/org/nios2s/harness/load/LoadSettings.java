// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.time.Duration;
import java.util.Objects;

/**
 * What one load run sends: how many clients, how much each and how often. Immutable, read by every thread of the run.
 *
 * @param clients      logical clients, each with one connection at a time
 * @param transactions transactions per client, or {@link #UNLIMITED} when only the duration ends the run
 * @param duration     no transaction begins later than this after the start of the run; zero when only the number of
 *                     transactions ends it
 * @param packets      packets per transaction
 * @param packetSize   content bytes per packet
 * @param interval     from the intended start of a client's transaction to that of its next; zero is flat out
 * @param stagger      from the start of one client to the start of the next
 * @param timeout      how long a client waits for the server in any step
 * @param secure       whether connections are TLS with client certificates
 * @param reconnect    whether every transaction has a connection of its own, rather than every client
 */
public record LoadSettings(
        int clients,
        int transactions,
        Duration duration,
        int packets,
        int packetSize,
        Duration interval,
        Duration stagger,
        Duration timeout,
        boolean secure,
        boolean reconnect) {

    /** The number of transactions when only the duration ends a run. */
    public static final int UNLIMITED = 0;

    /** More clients than one address has ephemeral ports make no sense. */
    public static final int MAX_CLIENTS = 60_000;

    /** What a packet may hold: the content is kept in memory once. */
    public static final int MAX_PACKET_SIZE = 256 * 1024 * 1024;

    /** More than this only queue up while a server gets warm. */
    private static final int WARM_UP_CLIENTS = 100;

    private static final int MAX_TRANSACTIONS = 10_000_000;
    private static final int MAX_PACKETS = 1_000_000;
    private static final Duration MAX_TIME = Duration.ofHours(24);

    /**
     * Checks every number.
     *
     * @throws IllegalArgumentException naming the first impossible one and what is possible
     */
    public LoadSettings {
        requireBetween("clients", clients, 1, MAX_CLIENTS);
        requireBetween("transactions", transactions, UNLIMITED, MAX_TRANSACTIONS);
        requireBetween("packets", packets, 1, MAX_PACKETS);
        requireBetween("packet size", packetSize, 0, MAX_PACKET_SIZE);
        requireTime("duration", duration);
        requireTime("interval", interval);
        requireTime("stagger", stagger);
        requireTime("timeout", timeout);
        if (timeout.isZero()) {
            throw new IllegalArgumentException("timeout must be longer than 0, else no transaction can succeed");
        }
        if (transactions == UNLIMITED && duration.isZero()) {
            throw new IllegalArgumentException("either transactions or duration must be more than 0: nothing to do");
        }
    }

    /**
     * Plain TCP and one connection per client.
     *
     * @param clients      logical clients
     * @param transactions transactions per client
     * @param duration     when the last transaction may begin
     * @param packets      packets per transaction
     * @param packetSize   content bytes per packet
     * @param interval     between a client's transactions
     * @param stagger      between the clients' starts
     * @param timeout      how long a client waits
     * @throws IllegalArgumentException naming the first impossible one and what is possible
     */
    public LoadSettings(
            final int clients,
            final int transactions,
            final Duration duration,
            final int packets,
            final int packetSize,
            final Duration interval,
            final Duration stagger,
            final Duration timeout) {
        this(clients, transactions, duration, packets, packetSize, interval, stagger, timeout, false, false);
    }

    /**
     * The same load over connections of a kind.
     *
     * @param secured      whether they are TLS
     * @param reconnecting whether every transaction has one of its own
     * @return the changed settings
     */
    public LoadSettings over(final boolean secured, final boolean reconnecting) {
        return new LoadSettings(
                clients,
                transactions,
                duration,
                packets,
                packetSize,
                interval,
                stagger,
                timeout,
                secured,
                reconnecting);
    }

    /**
     * The same load from another number of clients.
     *
     * @param count     logical clients
     * @param staggered between two clients' starts
     * @return the changed settings
     */
    public LoadSettings withClients(final int count, final Duration staggered) {
        return new LoadSettings(
                count, transactions, duration, packets, packetSize, interval, staggered, timeout, secure, reconnect);
    }

    /**
     * The same load with another number of transactions per client, which alone ends it.
     *
     * @param count transactions of each client
     * @return the changed settings
     */
    public LoadSettings withTransactions(final int count) {
        return new LoadSettings(
                clients, count, Duration.ZERO, packets, packetSize, interval, stagger, timeout, secure, reconnect);
    }

    /**
     * Packets of the same kind from the same clients, as fast as they go and for some time: to warm a server up.
     *
     * @param time how long
     * @return the changed settings
     */
    public LoadSettings flatOutFor(final Duration time) {
        return new LoadSettings(
                Math.min(clients, WARM_UP_CLIENTS),
                UNLIMITED,
                time,
                packets,
                packetSize,
                Duration.ZERO,
                Duration.ZERO,
                timeout,
                secure,
                reconnect);
    }

    /**
     * Whether clients send at a given pace rather than flat out.
     *
     * @return true when there is an interval
     */
    public boolean paced() {
        return !interval.isZero();
    }

    /**
     * All transactions of the run, or {@link #UNLIMITED} when only the duration ends it.
     *
     * @return transactions of all clients together
     */
    public long totalTransactions() {
        return (long) clients * transactions;
    }

    private static void requireBetween(final String name, final int value, final int min, final int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException("%s must be between %d and %d, not %d".formatted(name, min, max, value));
        }
    }

    private static void requireTime(final String name, final Duration value) {
        Objects.requireNonNull(value, name);
        if (value.isNegative() || value.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException(
                    "%s must be between 0 and %d h, not %s".formatted(name, MAX_TIME.toHours(), value));
        }
    }
}
