// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the log says of packets that failed. */
class FailureLogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(FailureLog.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final AtomicLong nanos = new AtomicLong();

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
    }

    @Test
    void theFirstFailureIsLoggedAtOnceAndTheOthersTogether() {
        final FailureLog log = new FailureLog("nifi:1", "packet", nanos::get, (task, after) -> {});
        log.failed(1, new IOException("down"));
        log.failed(2, new IOException("still down"));
        log.failed(3, new IOException("down again"));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        log.failed(4, new IOException("later"));
        log.failed(5, new IOException("the rest"));
        log.logRest();
        log.logRest();
        assertEquals(
                List.of(
                        "ERROR 1 packets to nifi:1 have failed. The first cause: down",
                        "ERROR 9 packets to nifi:1 have failed. The first cause: still down",
                        "ERROR 5 packets to nifi:1 have failed. The first cause: the rest"),
                lines.list.stream()
                        .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                        .toList());
    }

    @Test
    void whatFailsWithTheFirstIsLoggedAfterThePauseWithoutAnotherFailure() {
        final List<Runnable> scheduled = new ArrayList<>();
        final List<Long> pauses = new ArrayList<>();
        final FailureLog log = new FailureLog("nifi:1", "packet", nanos::get, (task, after) -> {
            scheduled.add(task);
            pauses.add(after);
        });
        for (int i = 0; i < 500; i++) {
            log.failed(1, new IOException("down"));
        }
        assertEquals(List.of(TimeUnit.SECONDS.toNanos(10)), pauses);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        scheduled.removeFirst().run();
        assertEquals(List.of(), scheduled);
        assertEquals(
                List.of(
                        "1 packets to nifi:1 have failed. The first cause: down",
                        "499 packets to nifi:1 have failed. The first cause: down"),
                lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList());
    }
}
