// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.access;

import ch.qos.logback.classic.Level;
import java.util.List;
import org.nios2s.peers.LogLines;

/** What the two loggers of access say, while it is open. Any thread. */
public final class AccessLines implements AutoCloseable {
    private final LogLines log;

    /**
     * @param name {@code Connections} or {@code Transactions}
     * @param level of the logger
     */
    public AccessLines(final String name, final Level level) {
        log = new LogLines("org.nios2s.listener.access." + name, level);
    }

    /** @return the lines, without the peer's port, its CommsID and times */
    public List<String> lines() {
        return log.lines().stream()
                .map(line -> line.replaceAll("(?<=^Peer [^ ]{1,40}):\\d+", "")
                        .replaceAll(" CommsID=\\S+?(?=:? )", "")
                        .replaceAll("in \\d+ ms", "in N ms"))
                .toList();
    }

    @Override
    public void close() {
        log.close();
    }
}
