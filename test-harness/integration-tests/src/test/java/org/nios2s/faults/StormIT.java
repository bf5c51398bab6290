// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.nios2s.harness.load.LoadClient;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.LoadSettings.Connection;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.TransactionTimes;
import org.nios2s.harness.load.Transferred;
import org.nios2s.harness.load.wire.WireLoadClients;
import org.nios2s.harness.load.wire.WireTls;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.integration.OwnNifi;
import org.nios2s.integration.SharedNifi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A NiFi is restarted under agents that push over TLS once a minute each: all come back. Runs on the thread of the tests, with two event
 * loops for the agents. The log says how long it takes, what it costs, and which pushes failed; {@code -Dstorm.agents=10000} is the size
 * that counts.
 */
@Tag("full")
@Isolated("it takes the whole machine")
class StormIT {
    private static final Logger logger = LoggerFactory.getLogger(StormIT.class);
    private static final int AGENTS = Integer.getInteger("storm.agents", 500);
    private static final Duration PERIOD = Duration.ofSeconds(Integer.getInteger("storm.period.seconds", 60));
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration PATIENCE = PERIOD.multipliedBy(5);
    private static final int PUSHED_BYTES = 1_000;

    private static NifiNode nifi;

    private final Map<String, Integer> failures = new ConcurrentSkipListMap<>();
    private final AtomicInteger back = new AtomicInteger();
    private final AtomicLong firstNanos = new AtomicLong();
    private final AtomicLong lastNanos = new AtomicLong();
    private volatile int restarts;

    @BeforeAll
    static void start() {
        nifi = NifiNode.start(OwnNifi.options(SharedNifi.HOMES.resolve("storm"))
                .heap("2g")
                .secure(true)
                .property("nifi.remote.input.nio.connections.max", String.valueOf(AGENTS + AGENTS / 2)));
    }

    @AfterAll
    static void stop() {
        if (nifi != null) {
            nifi.close();
        }
    }

    /** Pushes once in a period, and tries again soon what failed. Lives on its client's event loop. */
    private final class Agent implements LoadClient.Listener {
        private final LoadClient client;
        private final TransactionTimes times = new TransactionTimes();
        private int transaction;
        private boolean isPushing;
        private int backSince = -1;

        Agent(final LoadClient client) {
            this.client = client;
        }

        void startAfter(final Duration delay) {
            client.pacer().schedule(this::push, delay.toNanos(), TimeUnit.NANOSECONDS);
        }

        private void push() {
            isPushing = true;
            times.start(System.nanoTime());
            client.begin(transaction++, times, this);
        }

        @Override
        public void finished(final boolean destinationFull, final Transferred moved) {
            isPushing = false;
            if (backSince < restarts) {
                backSince = restarts;
                final long now = System.nanoTime();
                firstNanos.compareAndSet(0, now);
                lastNanos.set(now);
                back.incrementAndGet();
            }
            startAfter(PERIOD);
        }

        @Override
        public void empty() {
            throw new IllegalStateException("Nothing is pulled here");
        }

        @Override
        public void failed(final String cause, final boolean nobodyThere) {
            if (!isPushing) {
                // An idle connection has ended: the agent finds out when it pushes the next time.
                return;
            }
            isPushing = false;
            failures.merge(cause, 1, Integer::sum);
            startAfter(RETRY);
        }
    }

    @Test
    void agentsComeBackToANifiThatIsRestarted() {
        final LoadSettings load = new LoadSettings(
                AGENTS,
                LoadSettings.UNLIMITED,
                Duration.ofHours(1),
                PERIOD,
                Duration.ZERO,
                TIMEOUT,
                Shape.push(1, PUSHED_BYTES),
                new Connection(true, false, 0));
        final TargetAddress target =
                new TargetAddress(nifi.info().s2sHost(), nifi.info().s2sPort(), nifi.portId("input"), null);
        final List<LoadClient> clients = new ArrayList<>();
        try (WireLoadClients agents = new WireLoadClients(
                "storm",
                load,
                List.of(target),
                WireTls.client(nifi.security().tls(nifi.security().keyStore(Identity.CLIENT))),
                false)) {
            for (int agent = 0; agent < AGENTS; agent++) {
                final LoadClient client = agents.of(agent);
                clients.add(client);
                new Agent(client).startAfter(PERIOD.multipliedBy(agent).dividedBy(AGENTS));
            }
            awaitAll("The first time");
            nifi.stop();
            failures.clear();
            firstNanos.set(0);
            back.set(0);
            restarts++;
            nifi.startAgain();
            awaitAll("After the restart");
            clients.forEach(LoadClient::close);
        }
    }

    private void awaitAll(final String when) {
        Awaitility.await().atMost(PATIENCE).until(() -> firstNanos.get() != 0);
        final Duration cpuBefore = nifi.usage().cpu();
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertEquals(AGENTS, back.get(), () -> "not all are back: " + failures));
        final Map<String, Double> metrics = nifi.metrics("SiteToSiteListener");
        logger.info(
                "{} {} agents have pushed within {} ms of the first: {} TLS handshakes, {} of them resumed, {} ms of NiFi's processor time,"
                        + " {} MiB resident, {} faults; pushes that failed since NiFi was stopped: {}",
                when,
                AGENTS,
                TimeUnit.NANOSECONDS.toMillis(lastNanos.get() - firstNanos.get()),
                metrics.get("TlsHandshakes").longValue(),
                metrics.get("TlsResumptions").longValue(),
                nifi.usage().cpu().minus(cpuBefore).toMillis(),
                nifi.usage().residentBytes() / (1024 * 1024),
                metrics.get("Faults").longValue(),
                failures);
    }
}
