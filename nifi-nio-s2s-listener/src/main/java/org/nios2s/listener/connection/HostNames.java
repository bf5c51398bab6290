// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.net.InetAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.nios2s.listener.time.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names of peers' hosts, as far as they are known: looked up once in a while on threads for it, and never waited for on
 * the thread that asks. Thread-safe.
 *
 * <p>Until a name is known, and where there is none, the textual address stands for it, as it does in the stock listener
 * for an address without a name.
 */
public final class HostNames {
    static final int MAX_NAMES = 100_000;

    /** How long a name is used before it is looked up again: ten times the JDK's default for positive answers. */
    private static final long LIFETIME_NANOS = TimeUnit.MINUTES.toNanos(5);

    private static final Logger logger = LoggerFactory.getLogger(HostNames.class);

    private final AtomicBoolean missing = new AtomicBoolean();
    private final Function<InetAddress, String> resolver;
    private final boolean enabled;
    private final Executor lookups;
    private final NanoClock clock;
    /** In the order of their last use: the least recently used one is removed first. */
    private final Map<InetAddress, Name> names = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(final Map.Entry<InetAddress, Name> eldest) {
            return size() > MAX_NAMES;
        }
    });

    /** @param resolver name of an address; may take its time; the textual address where there is no name */
    public HostNames(
            final boolean enabled,
            final Function<InetAddress, String> resolver,
            final Executor lookups,
            final NanoClock clock) {
        this.enabled = enabled;
        this.resolver = resolver;
        this.lookups = lookups;
        this.clock = clock;
    }

    /** @return the name if it is known; otherwise the textual address, and the name is being looked up */
    public String nameOf(final InetAddress address) {
        if (enabled) {
            return entryOf(address).name;
        }
        return address.getHostAddress();
    }

    /**
     * @return the name, once it is known: the textual address where there is none, or where names are not looked up; fails
     *     if the look-up does
     */
    public CompletableFuture<String> whenKnown(final InetAddress address) {
        if (enabled) {
            return entryOf(address).known;
        }
        return CompletableFuture.completedFuture(address.getHostAddress());
    }

    private Name entryOf(final InetAddress address) {
        final long now = clock.nanoTime();
        final Name entry = names.computeIfAbsent(
                address, unknown -> new Name(unknown.getHostAddress(), now, new CompletableFuture<>()));
        if (now - entry.expiresNanos >= 0) {
            lookUp(address, new Name(entry.name, now + LIFETIME_NANOS, entry.known));
        }
        return entry;
    }

    private void lookUp(final InetAddress address, final Name preliminary) {
        // The entry is replaced first, so that other connections from this address start no second look-up.
        names.put(address, preliminary);
        try {
            lookups.execute(() -> answer(address, preliminary.known));
        } catch (final RejectedExecutionException e) {
            // Too many look-ups wait, or the listener stops: the address is used, and a later peer tries again.
            names.remove(address);
            preliminary.known.completeExceptionally(e);
        }
    }

    private void answer(final InetAddress address, final CompletableFuture<String> awaited) {
        try {
            final String name = resolver.apply(address);
            reportMissing(address, name);
            names.put(
                    address,
                    new Name(name, clock.nanoTime() + LIFETIME_NANOS, CompletableFuture.completedFuture(name)));
            awaited.complete(name);
        } catch (final RuntimeException | Error e) {
            // Removed, so that a later peer tries again. The thread's own handler reports the failure.
            names.remove(address);
            awaited.completeExceptionally(e);
            throw e;
        }
    }

    private void reportMissing(final InetAddress address, final String name) {
        if (name.equals(address.getHostAddress()) && missing.compareAndSet(false, true)) {
            logger.info(
                    "The host of {} has no name: attributes and provenance have the addresses of such peers. Enter them in the DNS, or"
                            + " set nifi.remote.input.nio.resolve.hostnames=false to look up none",
                    name);
        }
    }

    /**
     * A name and until when it is taken for true, as {@link System#nanoTime}.
     *
     * @param name stands for the address now
     * @param known completes with the first name that was looked up
     */
    private record Name(String name, long expiresNanos, CompletableFuture<String> known) {}
}
