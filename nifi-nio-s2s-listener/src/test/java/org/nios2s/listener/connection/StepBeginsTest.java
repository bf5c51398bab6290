// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.fault.FaultLog;
import org.nios2s.listener.fault.RefusalLog;
import org.nios2s.listener.limits.ConnectionLimit;
import org.nios2s.listener.limits.HandshakeLimit;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.RateLimits;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;
import org.slf4j.LoggerFactory;

/** How a step begins, and what becomes of one that can't. Lives on the test's thread, which is the IO worker too. */
class StepBeginsTest {
    private final List<String> told = new ArrayList<>();
    private final MemoryBudget memory = spy(new MemoryBudget(1_000_000, NanoClock.SYSTEM));
    private final FaultLog faultLog = new FaultLog(LoggerFactory.getLogger(StepBeginsTest.class), NanoClock.SYSTEM);

    /** Enters another step at its first byte. */
    private record First(Step next) implements Step {
        @Override
        public Step receive(final ByteBuf in) {
            in.skipBytes(in.readableBytes());
            return next;
        }

        @Override
        public TimeoutPolicy timeoutPolicy() {
            return TimeoutPolicy.WITHIN_REQUEST;
        }
    }

    private MessageSequenceHandler handler(final Step first) {
        final Step.Protocol protocol = mock(Step.Protocol.class);
        when(protocol.begins(any())).thenReturn(first);
        final HostNames hostNames = new HostNames(false, name -> "unused", Runnable::run, NanoClock.SYSTEM);
        final ListenerContext listener = new ListenerContext(
                ListenerSettings.from(new NiFiProperties(Map.of())),
                protocol,
                new ListenerContext.Endpoint(0, null, hostNames, InstantSource.system()),
                new ListenerContext.Ports(() -> null, null),
                new ListenerContext.Limits(
                        memory,
                        new ConnectionLimit(1, 0, "unused", NanoClock.SYSTEM),
                        new HandshakeLimit(1, NanoClock.SYSTEM),
                        new RateLimits(List.of(), NanoClock.SYSTEM)),
                new ListenerContext.Threads(
                        Runnable::run, Runnable::run, Runnable::run, (holder, turn) -> turn.run(), Runnable::run),
                new Drain(0, () -> 0, NanoClock.SYSTEM),
                new ListenerMetrics(0, NanoClock.SYSTEM),
                new ListenerContext.Logs(
                        faultLog, new RefusalLog(LoggerFactory.getLogger(StepBeginsTest.class), NanoClock.SYSTEM)),
                NanoClock.SYSTEM);
        return new MessageSequenceHandler(
                listener, new WorkerConnections(mock(SingleThreadEventLoop.class), nanos -> {}, NanoClock.SYSTEM));
    }

    private EmbeddedChannel connection(final Step first) throws Exception {
        final EmbeddedChannel channel = new EmbeddedChannel() {
            @Override
            protected SocketAddress remoteAddress0() {
                return new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
            }
        };
        final MessageSequenceHandler handler = handler(first);
        handler.takePlace(channel, InetAddress.getLoopbackAddress(), false);
        channel.pipeline().addLast(handler);
        return channel;
    }

    /** Says what happens to it, and ends its beginning as a test wants. */
    private final class Told implements Step {
        private final String name;
        private final Callable<Step> beginning;

        Told(final String name, final Callable<Step> beginning) {
            this.name = name;
            this.beginning = beginning;
        }

        @Override
        public Step begin() throws IOException {
            told.add(name + " begins");
            try {
                final Step next = beginning.call();
                return next == null ? this : next;
            } catch (final Exception e) {
                throw new IOException(e);
            }
        }

        @Override
        public Step receive(final ByteBuf in) {
            if (in.isReadable()) {
                told.add(name + " receives");
                in.skipBytes(in.readableBytes());
            }
            return this;
        }

        @Override
        public void abandon() {
            told.add(name + " is abandoned");
        }

        @Override
        public TimeoutPolicy timeoutPolicy() {
            return TimeoutPolicy.WITHIN_REQUEST;
        }
    }

    private static ByteBuf oneByte() {
        return Unpooled.wrappedBuffer(new byte[1]);
    }

    @Test
    @DisplayName("a step that fails as it begins gives back what it holds, and the connection ends")
    void failsAsItBegins() throws Exception {
        final EmbeddedChannel connection = connection(new First(new Told("it", () -> {
            throw new OutOfMemoryError("test");
        })));
        connection.writeInbound(oneByte());
        assertEquals(List.of("it begins", "it is abandoned"), told);
        assertEquals(1, faultLog.count(Kind.INTERNAL));
        assertFalse(connection.isActive());
    }

    @Test
    @DisplayName("a step that names its successor as it begins is followed by that, which begins too")
    void namesItsSuccessor() throws Exception {
        final EmbeddedChannel connection =
                connection(new First(new Told("one", () -> new Told("another", () -> null))));
        connection.writeInbound(oneByte());
        connection.writeInbound(oneByte());
        assertEquals(List.of("one begins", "another begins", "another receives"), told);
        assertTrue(connection.isActive());
        connection.finishAndReleaseAll();
    }

    @Test
    @DisplayName("a connection that is refused before its first step opens no account, for which no end would come")
    void refusedBeforeItBegins() throws Exception {
        handler(new First(null));
        verify(memory, never()).common();
        connection(new First(null)).finishAndReleaseAll();
        verify(memory).common();
    }
}
