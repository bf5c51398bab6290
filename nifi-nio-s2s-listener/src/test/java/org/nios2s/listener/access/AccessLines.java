// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.access;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What the two loggers of access say, while it is open. Any thread. */
public final class AccessLines implements AutoCloseable {
    private final Logger logger;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    /**
     * @param name {@code Connections} or {@code Transactions}
     * @param level of the logger
     */
    public AccessLines(final String name, final Level level) {
        logger = (Logger) LoggerFactory.getLogger("org.nios2s.listener.access." + name);
        logger.setLevel(level);
        appender.start();
        logger.addAppender(appender);
        logger.setAdditive(false);
    }

    /** @return the lines, without the peer's port, its CommsID and times */
    public List<String> lines() {
        // The appender's own lock.
        synchronized (appender) {
            return appender.list.stream()
                    .map(ILoggingEvent::getFormattedMessage)
                    .map(line -> line.replaceAll("(?<=^Peer [^ ]{1,40}):\\d+", "")
                            .replaceAll(" CommsID=\\S+?(?=:? )", "")
                            .replaceAll("in \\d+ ms", "in N ms"))
                    .toList();
        }
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setLevel(null);
        logger.setAdditive(true);
    }
}
