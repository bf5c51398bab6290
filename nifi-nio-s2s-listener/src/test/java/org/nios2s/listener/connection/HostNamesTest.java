// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.peers.LogLines;

/** Names of peers' hosts. Lives on the test's thread. */
class HostNamesTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int PEERS = 250;

    private final ExecutorService lookups = Executors.newFixedThreadPool(2);

    @AfterEach
    void stop() {
        lookups.shutdownNow();
    }

    private static InetAddress address(final int last) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, (byte) (last >> 16), (byte) (last >> 8), (byte) last});
    }

    @Test
    @DisplayName("a resolver that answers nobody delays nobody: the address stands for the name")
    void blockingResolver() throws Exception {
        final CountDownLatch never = new CountDownLatch(1);
        final Function<InetAddress, String> blocking = address -> {
            try {
                never.await();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return "never";
        };
        final HostNames hostNames = new HostNames(true, blocking, lookups, NanoClock.SYSTEM);
        for (int i = 0; i < PEERS; i++) {
            assertEquals("10.0.0." + i, hostNames.nameOf(address(i)));
            assertEquals("10.0.0." + i, hostNames.nameOf(address(i)));
        }
    }

    @Test
    @DisplayName("a name is known once it was looked up, and is looked up once")
    void lookedUpOnce() throws Exception {
        final AtomicInteger lookUps = new AtomicInteger();
        final HostNames hostNames =
                new HostNames(true, address -> "host-" + lookUps.incrementAndGet(), lookups, NanoClock.SYSTEM);
        assertEquals("10.0.0.7", hostNames.nameOf(address(7)));
        await().atMost(DEADLINE).until(() -> "host-1".equals(hostNames.nameOf(address(7))));
        assertEquals("host-1", hostNames.nameOf(address(7)));
        assertEquals(1, lookUps.get());
    }

    @Test
    @DisplayName("an Error of the resolver stops no thread, and is not swallowed")
    void resolverThatFails() throws Exception {
        final AtomicInteger heard = new AtomicInteger();
        final ExecutorService one = Executors.newSingleThreadExecutor(task -> {
            final Thread thread = new Thread(task);
            thread.setUncaughtExceptionHandler((failed, error) -> heard.incrementAndGet());
            return thread;
        });
        try (one) {
            final HostNames hostNames = new HostNames(
                    true,
                    address -> {
                        if (address.getAddress()[3] == 1) {
                            throw new StackOverflowError("ordered by a test");
                        }
                        return "name";
                    },
                    one,
                    NanoClock.SYSTEM);
            assertEquals("10.0.0.1", hostNames.nameOf(address(1)));
            await().atMost(DEADLINE).until(() -> "name".equals(hostNames.nameOf(address(2))));
            // The pool replaces a thread before that says why it ends.
            await().atMost(DEADLINE).until(() -> heard.get() == 1);
        }
    }

    @Test
    @DisplayName("where hosts have no names, their addresses stand for them, and one line says so")
    void noNames() throws Exception {
        try (LogLines log = new LogLines(HostNames.class, Level.INFO)) {
            final HostNames hostNames =
                    new HostNames(true, InetAddress::getHostAddress, Runnable::run, NanoClock.SYSTEM);
            for (int i = 0; i < PEERS; i++) {
                hostNames.nameOf(address(i));
                assertEquals("10.0.0." + i, hostNames.nameOf(address(i)));
            }
            assertEquals(1, log.lines().size(), log.lines()::toString);
            assertEquals(log.lines(), log.lines(Level.INFO));
        }
    }

    @Test
    @DisplayName("switched off, nothing is looked up")
    void switchedOff() throws Exception {
        final HostNames hostNames = new HostNames(
                false,
                address -> "name",
                task -> {
                    throw new AssertionError("Looked up");
                },
                NanoClock.SYSTEM);
        assertEquals("10.0.0.7", hostNames.nameOf(address(7)));
    }

    @Test
    @DisplayName("after the end of the listener the address stands for the name")
    void closed() throws Exception {
        final HostNames hostNames = new HostNames(true, address -> "name", lookups, NanoClock.SYSTEM);
        lookups.shutdownNow();
        assertEquals("10.0.0.7", hostNames.nameOf(address(7)));
    }

    @Test
    @DisplayName("when there are too many names, the one that was not asked for the longest is forgotten")
    void tooManyNames() throws Exception {
        final AtomicInteger lookedUp = new AtomicInteger();
        final HostNames hostNames = new HostNames(
                true,
                address -> {
                    lookedUp.incrementAndGet();
                    return "name";
                },
                Runnable::run,
                NanoClock.SYSTEM);
        for (int i = 0; i < HostNames.MAX_NAMES; i++) {
            hostNames.nameOf(address(i));
        }
        assertEquals("name", hostNames.nameOf(address(0)));
        hostNames.nameOf(address(HostNames.MAX_NAMES));
        assertEquals("name", hostNames.nameOf(address(HostNames.MAX_NAMES)));
        assertEquals("name", hostNames.nameOf(address(0)));
        assertEquals(HostNames.MAX_NAMES + 1, lookedUp.get());
        assertEquals("10.0.0.1", hostNames.nameOf(address(1)));
    }
}
