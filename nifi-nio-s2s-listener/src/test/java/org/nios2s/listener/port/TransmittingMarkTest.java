// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;

import ch.qos.logback.classic.Level;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.StandardPublicPort;
import org.apache.nifi.remote.protocol.CommunicationsSession;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.activation.DoctoredLoader;
import org.nios2s.listener.activation.DoctoredLoader.Change;
import org.nios2s.listener.loading.NarLoader;
import org.nios2s.peers.LogLines;

/** What NiFi's canvas shows of a port. Lives on the test's thread. */
class TransmittingMarkTest {
    private static void show(final TransmittingMark mark) {
        mark.show(new SocketlessCommunicationsSession(null, () -> {}));
    }

    @Test
    @DisplayName("a port that its last peer has left is not shown as transmitting by a sweep that began before")
    void closed() {
        try (RecordingPort port = new RecordingPort(1)) {
            final TransmittingMark mark = new TransmittingMark(port.port());
            show(mark);
            assertTrue(port.port().isTransmitting());
            mark.close();
            show(mark);
            assertFalse(port.port().isTransmitting());
        }
    }

    /** A mark whose class is in another loader than NiFi's port, as in a NAR. */
    private static void showAcrossLoaders(final PublicPort port) throws ReflectiveOperationException {
        final Class<?> type = new NarLoader().loadClass(TransmittingMark.class.getName());
        final Constructor<?> constructor = type.getDeclaredConstructor(PublicPort.class);
        constructor.setAccessible(true);
        final Method show = type.getDeclaredMethod("show", CommunicationsSession.class);
        show.setAccessible(true);
        show.invoke(constructor.newInstance(port), mock(CommunicationsSession.class));
    }

    @Test
    @DisplayName("a port is shown as transmitting by a listener in a class loader of its own, as a NAR is")
    void acrossLoaders() throws Exception {
        try (RecordingPort port = new RecordingPort(1)) {
            showAcrossLoaders(port.port());
            assertTrue(port.port().isTransmitting());
        }
    }

    @Test
    @DisplayName("without the set in NiFi's port one line says so, and nothing is thrown")
    void anotherNifi() throws Exception {
        final ClassLoader nifi = new DoctoredLoader(
                "field " + StandardPublicPort.class.getName() + " activeRequests Ljava/util/Set;", Change.REMOVED);
        try (LogLines log = new LogLines(TransmittingMark.class, Level.INFO)) {
            Class.forName(TransmittingMark.class.getName(), true, new NarLoader(nifi));
            assertEquals(1, log.lines().size(), log.lines()::toString);
            assertTrue(log.lines().getFirst().contains("NoSuchFieldException"), log.lines()::toString);
        }
    }
}
