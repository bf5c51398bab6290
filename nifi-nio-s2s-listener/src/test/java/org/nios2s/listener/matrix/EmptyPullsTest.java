// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.peers.Message;
import org.slf4j.LoggerFactory;

/** A peer that asks an empty queue again and again. Lives on the test's thread. */
class EmptyPullsTest {
    private static final int PULLS = 1_000;

    @ParameterizedTest
    @EnumSource(names = {"PLAIN_EPOLL", "JDK_TLS_NIO"})
    @DisplayName("1,000 pulls of an empty queue are answered and leave no line in the log")
    void noLine(final Variant variant) throws Exception {
        final Logger ours = (Logger) LoggerFactory.getLogger("org.nios2s.listener");
        final ListAppender<ILoggingEvent> lines = new ListAppender<>();
        try (ServedListener listener = new ServedListener(variant);
                MatrixPeer peer = listener.connect()) {
            peer.openForTransactions(ServedListener.OUTPUT, listener.properties());
            lines.start();
            ours.addAppender(lines);
            ours.setLevel(Level.INFO);
            for (int pull = 0; pull < PULLS; pull++) {
                peer.say(Message.utf("RECEIVE_FLOWFILES"));
                peer.expect(ResponseCode.NO_MORE_DATA);
            }
            assertEquals(PULLS, listener.metric("PullsEmpty"));
            assertEquals(List.of(), lines.list);
        } finally {
            ours.detachAppender(lines);
            ours.setLevel(null);
        }
    }
}
