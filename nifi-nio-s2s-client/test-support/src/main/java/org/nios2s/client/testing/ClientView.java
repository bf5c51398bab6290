// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.nios2s.client.ClientObserver;

/**
 * What the client does, told without the wire: the server hears of it a moment later, and a test that looks must not come between. Any
 * thread; guarded by itself.
 */
final class ClientView implements ClientObserver {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The connections that the client has, by their names. */
    private final Set<String> open = new HashSet<>();
    /** The pull that is under way at the server on each connection. */
    private final Map<String, Object> pulls = new HashMap<>();
    /** Those of them that the client has ended. */
    private final Set<Object> ending = new HashSet<>();

    @Override
    public synchronized void connectionOpened(final Connection connection) {
        open.add(connection.commsId());
    }

    @Override
    public synchronized void connectionClosed(final Connection connection) {
        open.remove(connection.commsId());
        notifyAll();
    }

    /** Waits until the client knows that these are closed. */
    void awaitClosed(final Set<String> connections) {
        awaitUntil(() -> open.stream().noneMatch(connections::contains));
    }

    synchronized void pullBegins(final String connection) {
        pulls.put(connection, new Object());
    }

    synchronized void pullEnds(final String connection) {
        ending.remove(pulls.remove(connection));
        notifyAll();
    }

    /** @return what is under way on a connection, for {@link #clientEnds} */
    synchronized Object pull(final String connection) {
        return pulls.get(connection);
    }

    synchronized void clientEnds(final Object pull) {
        if (pulls.containsValue(pull)) {
            ending.add(pull);
        }
    }

    /** Waits until what the client has ended is over at the server. */
    void awaitEnds() {
        awaitUntil(ending::isEmpty);
    }

    private synchronized void awaitUntil(final BooleanSupplier condition) {
        final long began = System.nanoTime();
        boolean interrupted = false;
        long left = PATIENCE.toNanos();
        while (!condition.getAsBoolean() && left > 0) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (final InterruptedException e) {
                interrupted = true;
            }
            left = PATIENCE.toNanos() - (System.nanoTime() - began);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
