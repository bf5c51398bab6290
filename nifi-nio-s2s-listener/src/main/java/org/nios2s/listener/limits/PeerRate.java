// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.concurrent.TimeUnit;
import org.nios2s.listener.time.NanoClock;

/** The rates of one peer, and how much of them the peer has used up over all of its connections. Thread-safe. */
public final class PeerRate {
    /** The rate of a peer that no rule fits. */
    public static final PeerRate UNLIMITED = new PeerRate(null, null, null);

    /** Bytes that may come at once, as the time in which they would have come evenly: they make up for late wake-ups. */
    private static final long BYTES_BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final long TRANSACTIONS_BURST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Batches into which the bytes of a second are divided: short enough that the next one is not far. */
    private static final int BATCHES_PER_SECOND = 10;

    /** A socket's buffer is to hold less than what comes in a second, but enough for a distant peer. */
    private static final int MIN_SOCKET_BUFFER = 32 * 1024;

    private static final int MAX_SOCKET_BUFFER = 1024 * 1024;

    private static final int MIN_BYTES_AT_ONCE = 1_024;
    private static final int MAX_BYTES_AT_ONCE = 64 * 1024;

    private final RateLimits.Key key;
    private final RateMeter bytes;
    private final RateMeter transactions;
    private final int bytesAtOnce;
    private final int socketBufferBytes;
    private int uses;

    private PeerRate(final RateLimits.Key key, final RateRule rule, final NanoClock clock) {
        this.key = key;
        if (rule == null || rule.bytesPerSecond() == 0) {
            bytes = null;
            bytesAtOnce = Integer.MAX_VALUE;
            socketBufferBytes = Integer.MAX_VALUE;
        } else {
            bytes = new RateMeter(rule.bytesPerSecond(), BYTES_BURST_NANOS, clock);
            bytesAtOnce = Math.clamp(rule.bytesPerSecond() / BATCHES_PER_SECOND, MIN_BYTES_AT_ONCE, MAX_BYTES_AT_ONCE);
            socketBufferBytes = Math.clamp(rule.bytesPerSecond() / 2, MIN_SOCKET_BUFFER, MAX_SOCKET_BUFFER);
        }
        if (rule == null || rule.transactionsPerSecond() == 0) {
            transactions = null;
        } else {
            transactions = new RateMeter(rule.transactionsPerSecond(), TRANSACTIONS_BURST_NANOS, clock);
        }
    }

    static PeerRate of(final RateLimits.Key key, final NanoClock clock) {
        return new PeerRate(key, key.rule(), clock);
    }

    RateLimits.Key key() {
        return key;
    }

    /** Guarded by the lock of {@link RateLimits}. */
    void use(final int more) {
        uses += more;
    }

    /** Guarded by the lock of {@link RateLimits}. */
    boolean isForgettable() {
        return uses == 0 && (bytes == null || bytes.isQuiet()) && (transactions == null || transactions.isQuiet());
    }

    /** @return whether the peer's bytes are limited */
    public boolean limitsBytes() {
        return bytes != null;
    }

    /** @return how many bytes may be moved at once */
    public int bytesAtOnce() {
        return bytesAtOnce;
    }

    /** @return how large the socket's buffer should be, where bytes are limited */
    public int socketBufferBytes() {
        return socketBufferBytes;
    }

    /**
     * Counts bytes that have come from the peer, or gone to it.
     *
     * @return nanoseconds until the next byte may be moved; 0 for at once
     */
    public long spendBytes(final long more) {
        if (bytes == null) {
            return 0;
        }
        return bytes.spend(more);
    }

    /** @return nanoseconds until a transaction may begin, which is counted as begun; 0 for at once */
    public long spendTransaction() {
        if (transactions == null) {
            return 0;
        }
        return transactions.spend(1);
    }

    /** Takes back a transaction that was counted as begun and never began. */
    public void giveTransactionBack() {
        if (transactions != null) {
            transactions.giveBack(1);
        }
    }
}
