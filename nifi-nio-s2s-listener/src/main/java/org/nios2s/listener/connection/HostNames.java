// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.net.InetAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Names of peers' hosts, as far as they are known: looked up once in a while on threads for it, never waited for.
 * Thread-safe.
 *
 * <p>Until a name is known, and where there is none, the textual address stands for it, as it does in the stock listener
 * for an address without a name.
 */
public final class HostNames {
    static final int MOST_NAMES = 100_000;

    /** How long a name is taken for true: as long as the JDK's own default for positive answers, times ten. */
    private static final long LIFETIME_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final Function<InetAddress, String> resolver;
    private final boolean enabled;
    private final Executor lookups;
    /** The least recently used one goes first. */
    private final Map<InetAddress, Name> names = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(final Map.Entry<InetAddress, Name> eldest) {
            return size() > MOST_NAMES;
        }
    });

    /** @param resolver name of an address; may take its time; the textual address where there is no name */
    public HostNames(final boolean enabled, final Function<InetAddress, String> resolver, final Executor lookups) {
        this.enabled = enabled;
        this.resolver = resolver;
        this.lookups = lookups;
    }

    /** @return the name if it is known, else the textual address, and then the name is being looked up */
    public String nameOf(final InetAddress address) {
        if (!enabled) {
            return address.getHostAddress();
        }
        final long now = System.nanoTime();
        final Name known = names.computeIfAbsent(address, unknown -> new Name(unknown.getHostAddress(), now));
        if (now - known.expiresNanos >= 0) {
            lookUp(address, new Name(known.name, now + LIFETIME_NANOS));
        }
        return known.name;
    }

    private void lookUp(final InetAddress address, final Name preliminary) {
        // Stands until the answer is there, so that an address is looked up once at a time.
        names.put(address, preliminary);
        try {
            lookups.execute(
                    () -> names.put(address, new Name(resolver.apply(address), System.nanoTime() + LIFETIME_NANOS)));
        } catch (final RejectedExecutionException e) {
            // Too many at once, or the listener stops: the address stands for the name, and a later peer tries again.
            names.remove(address);
        }
    }

    /** A name and until when it is taken for true, as {@link System#nanoTime}. */
    private record Name(String name, long expiresNanos) {}
}
