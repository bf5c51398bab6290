// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import java.lang.reflect.Method;
import java.util.List;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.loading.NarLoader;
import org.nios2s.peers.LogLines;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/**
 * A listener without one of the things that it can do without: it serves, and one line of the log says what is missing. Lives on the
 * test's thread.
 */
@Isolated("Netty reads properties of the JVM")
class OptionalPartsTest {
    private static final String SERVES = "The NIO Site-to-Site listener serves ";

    @AutoClose
    private final LogLines log = new LogLines("org.nios2s.listener", Level.INFO);

    /** One of these things: the classes or the library that are not to be had, what the log says then, and settings that need them. */
    enum Part {
        JDK_NET(
                Variant.PLAIN_NIO,
                "jdk.net.",
                null,
                " with nio (no quick acknowledgements: this Java lacks the module"),
        PROCESS_LIMITS(
                Variant.PLAIN_EPOLL,
                "com.sun.management.",
                null,
                "The limits of open files and direct memory are not known"),
        JMX(Variant.PLAIN_EPOLL, "javax.management.MBeanServer", null, "can't be read over JMX"),
        UNSUPPORTED(
                Variant.PLAIN_EPOLL,
                "sun.misc.",
                null,
                "can't drain before a stop, since this Java ",
                "drain.before.stop",
                "1 sec"),
        EPOLL(
                Variant.PLAIN_EPOLL,
                null,
                "io.netty.transport.noNative",
                " with nio (epoll does not load: ",
                "transport",
                "auto"),
        BORINGSSL(
                Variant.BORINGSSL_EPOLL,
                null,
                "io.netty.handler.ssl.noOpenSsl",
                "The JDK serves TLS, ",
                "tls.provider",
                "auto");

        private final Variant variant;
        private final String classes;
        private final String property;
        private final String line;
        private final String[] settings;

        Part(
                final Variant variant,
                final String classes,
                final String property,
                final String line,
                final String... settings) {
            this.variant = variant;
            this.classes = classes;
            this.property = property;
            this.line = line;
            this.settings = settings;
        }

        private NarLoader loader() {
            return classes == null ? new NarLoader() : new NarLoader(classes);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a thing that the listener can do without costs nothing but itself, and one line says so")
    void missing(final Part part) throws Exception {
        if (part.property != null) {
            System.setProperty(part.property, "true");
        }
        try (MatrixListener listener = new MatrixListener(part.loader(), part.variant, part.settings)) {
            try (TestPeer peer = listener.connect()) {
                Place.PUSH.reach(peer, listener);
                peer.say(
                        Message.utf("SEND_FLOWFILES"),
                        Message.packet(Place.Size.SMALL_CONTENT),
                        Message.response(ResponseCode.FINISH_TRANSACTION),
                        Message.response(ResponseCode.CONFIRM_TRANSACTION, ""));
                peer.expect(ResponseCode.CONFIRM_TRANSACTION);
                peer.expect(ResponseCode.TRANSACTION_FINISHED);
            }
            final List<String> lines = log.lines();
            assertEquals(
                    1, lines.stream().filter(line -> line.contains(part.line)).count(), lines::toString);
            assertTrue(
                    lines.stream().allMatch(line -> line.startsWith(SERVES) || line.contains(part.line)),
                    lines::toString);
        } finally {
            if (part.property != null) {
                System.clearProperty(part.property);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("without that thing all classes of the listener are loaded and verified at the activation")
    void linked(final Part part) throws Exception {
        final Method link = part.loader()
                .loadClass("org.nios2s.listener.activation.NarInspector")
                .getDeclaredMethod("link");
        link.setAccessible(true);
        assertDoesNotThrow(() -> link.invoke(null));
    }
}
