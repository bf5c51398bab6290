// SPDX-License-Identifier: Apache-2.0
package org.nios2s.peers;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What a logger says while this is open; nobody else reads of that. Any thread. */
public final class LogLines implements AutoCloseable {
    private final Logger logger;
    private final Level levelBefore;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    public LogLines(final Class<?> ofClass, final Level level) {
        this(ofClass.getName(), level);
    }

    /** @param level of the logger while this is open */
    public LogLines(final String name, final Level level) {
        logger = (Logger) LoggerFactory.getLogger(name);
        levelBefore = logger.getLevel();
        logger.setLevel(level);
        logger.setAdditive(false);
        appender.start();
        logger.addAppender(appender);
    }

    public Logger logger() {
        return logger;
    }

    public List<ILoggingEvent> events() {
        // The appender's own lock.
        synchronized (appender) {
            return List.copyOf(appender.list);
        }
    }

    /** @return all lines, without their levels */
    public List<String> lines() {
        return events().stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    /** @return the lines of one level */
    public List<String> lines(final Level level) {
        return events().stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** Forgets what was said until now. */
    public void clear() {
        synchronized (appender) {
            appender.list.clear();
        }
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setLevel(levelBefore);
        logger.setAdditive(true);
    }
}
