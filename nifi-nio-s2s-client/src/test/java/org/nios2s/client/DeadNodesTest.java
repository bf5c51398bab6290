// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.packet;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the log says of nodes that are gone for long. Lives on the test's thread. */
class DeadNodesTest {
    /** By default each of two nodes is connected to no more often than every ten seconds. */
    private static final int FAILURES_OF_AN_HOUR = 720;

    /** Of each node: no connection to it, and what a receiver and a sender did not get done with it. */
    private static final int MOST_WARNINGS = 6;

    @Test
    void anHourOfTwoDeadNodesIsAHandfulOfWarnings() throws Exception {
        final Logger logger = (Logger) LoggerFactory.getLogger("org.nios2s");
        final ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        final AtomicInteger failures = new AtomicInteger();
        final AtomicInteger received = new AtomicInteger();
        final Duration shortest = Duration.ofMillis(1);
        final ScriptedServer first = new ScriptedServer();
        final ScriptedServer second = new ScriptedServer();
        try (ScriptedSite site = new ScriptedSite(first.port());
                SiteToSite nifi = NioSiteToSite.builder()
                        .url(site.url())
                        .retry(RetryPolicy.standard().withBackoff(shortest, Duration.ofMillis(5)))
                        .reconnectBackoff(shortest, Duration.ofMillis(5))
                        .maxIdleTime(Duration.ofMillis(50))
                        .shutdownTimeout(shortest)
                        .observer(new ClientObserver() {
                            @Override
                            public void connectionFailed(final TransactionException failure) {
                                failures.incrementAndGet();
                            }
                        })
                        .build()) {
            ScriptedServer.cluster(first, 5, second, 5);
            first.offered.add(new ScriptedServer.Received(Map.of(), new byte[1]));
            nifi.outputPort("out").receive(batch -> received.addAndGet((int) batch.skipRest()));
            Outcomes.await(nifi.inputPort("in").send(packet("a")));
            await().until(() -> received.get() == 1);
            logger.addAppender(lines);
            first.close();
            second.close();
            nifi.inputPort("in").send(packet("b"));
            await().atMost(Outcomes.NEVER).until(() -> failures.get() >= FAILURES_OF_AN_HOUR);
        } finally {
            logger.detachAppender(lines);
        }
        final List<String> warnings = List.copyOf(lines.list).stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .filter(text -> !text.startsWith("Closing"))
                .toList();
        assertTrue(warnings.size() <= MOST_WARNINGS, () -> String.join("\n", warnings));
    }
}
