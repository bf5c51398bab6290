// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.pull;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.apache.nifi.connectable.Connection;
import org.apache.nifi.controller.queue.FlowFileQueue;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.provenance.ProvenanceReporter;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.protocol.HandshakeProperties;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import org.nios2s.listener.connection.ListenerContext;
import org.nios2s.listener.connection.MessageSequenceHandler;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.PeerKey;
import org.nios2s.listener.limits.PeerRate;
import org.nios2s.listener.limits.PeerTurn;
import org.nios2s.listener.limits.PortLimits;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.limits.TestHolder;
import org.nios2s.listener.port.PortDispatcher;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.tls.ReadKey;
import org.nios2s.listener.transaction.HeldSessions.HeldSession;
import org.nios2s.listener.transaction.PullEncoder;
import org.nios2s.listener.transaction.PullPiece;
import org.nios2s.listener.transaction.SessionWaiter;

/** What becomes of a piece that can't be sent. Lives on the test's thread, which does what all others would. */
class SendStepTest {
    private static final long BUDGET_BYTES = 64 * 1024 * 1024;

    private final MemoryBudget budget = new MemoryBudget(BUDGET_BYTES, NanoClock.SYSTEM);
    private final SharedResource.Part memory = budget.newPart();
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    private final PeerConnection connection = mock(PeerConnection.class);
    private final PortDispatcher dispatcher = mock(PortDispatcher.class);
    private final PullEncoder transaction = mock(PullEncoder.class);
    private final HeldSession held = mock(HeldSession.class);
    private final PullPiece piece = mock(PullPiece.class);

    @BeforeEach
    void connect() {
        final PortLimits limits = new PortLimits(null, null, memory);
        when(dispatcher.limits()).thenReturn(limits);
        when(connection.dispatcher()).thenReturn(dispatcher);
        when(connection.rate()).thenReturn(PeerRate.UNLIMITED);
        when(connection.turn()).thenReturn(new PeerTurn());
        when(connection.key()).thenReturn(PeerKey.of(InetAddress.getLoopbackAddress()));
        final ListenerContext.Threads threads = mock(ListenerContext.Threads.class);
        when(threads.contentReaders()).thenReturn(Runnable::run);
        final ListenerContext listener = mock(ListenerContext.class);
        when(listener.threads()).thenReturn(threads);
        when(connection.listener()).thenReturn(listener);
        when(connection.clock()).thenReturn(NanoClock.SYSTEM);
        when(connection.handshake()).thenReturn(new HandshakeProperties());
        when(connection.readKey()).thenReturn(ReadKey.unlimited());
        final MessageSequenceHandler handler = mock(MessageSequenceHandler.class, invocation -> {
            if ("proceed".equals(invocation.getMethod().getName())) {
                throw new RejectedExecutionException("The IO worker has ended");
            }
            return null;
        });
        when(connection.handler()).thenReturn(handler);
    }

    private Pull pull() {
        return new Pull(connection, memory.open(new TestHolder("peer")), transaction, held);
    }

    @Test
    @DisplayName("a piece of which a write can't be had is released, and its transaction is rolled back once")
    void noWrite() {
        when(piece.hasNextWrite()).thenReturn(true);
        when(piece.nextWrite()).thenThrow(new OutOfMemoryError("test"));
        final SendStep sending = new SendStep(pull());
        assertThrows(OutOfMemoryError.class, () -> sending.send(piece));
        verify(piece).release();
        sending.abandon();
        verify(held, times(1)).rollback();
    }

    @Test
    @DisplayName("a piece that no IO worker sends any more is released, and its transaction is rolled back")
    void noWorkerForNextPiece() throws Exception {
        final ArgumentCaptor<ChannelFutureListener> sent = ArgumentCaptor.forClass(ChannelFutureListener.class);
        doNothing().when(connection).send(any(ByteBuf.class), sent.capture());
        when(transaction.nextPiece(anyInt())).thenReturn(piece);
        final PullPiece first = mock(PullPiece.class);
        when(first.hasNextWrite()).thenReturn(true, false);
        when(first.capacity()).thenReturn(1);
        when(first.nextWrite()).thenReturn(new PullPiece.Write(Unpooled.buffer().writeZero(1), true));
        new SendStep(pull()).send(first);
        sent.getValue().operationComplete(succeeded());
        verify(piece).release();
        assertEquals(0, budget.used());
        verify(held).rollback();
    }

    private static ChannelFuture succeeded() {
        final Channel channel = new EmbeddedChannel();
        return new DefaultChannelPromise(channel).setSuccess();
    }

    @Test
    @DisplayName("nor is a first piece lost, of which no IO worker hears any more")
    void noWorkerForFirstPiece() throws Exception {
        final Connection incoming = mock(Connection.class);
        when(incoming.getFlowFileQueue()).thenReturn(mock(FlowFileQueue.class));
        final PublicPort port = mock(PublicPort.class);
        when(port.getIncomingConnections()).thenReturn(List.of(incoming));
        when(connection.port()).thenReturn(port);
        final Channel channel = mock(Channel.class);
        when(channel.alloc()).thenReturn(allocator);
        when(connection.channel()).thenReturn(channel);
        final ArgumentCaptor<SessionWaiter> request = ArgumentCaptor.forClass(SessionWaiter.class);
        when(dispatcher.awaitSession(request.capture())).thenReturn(null);
        sessionWithOne();

        new AwaitFlowFilesStep(connection).begin();
        assertThrows(RejectedExecutionException.class, () -> request.getValue().take(held));
        assertEquals(0, allocator.metric().usedDirectMemory());
        assertEquals(0, budget.used());
    }

    private void sessionWithOne() {
        final FlowFile flowFile = mock(FlowFile.class);
        when(flowFile.getAttributes()).thenReturn(Map.of());
        final ProcessSession session = mock(ProcessSession.class);
        when(session.get()).thenReturn(flowFile, (FlowFile) null);
        when(session.getProvenanceReporter()).thenReturn(mock(ProvenanceReporter.class));
        when(held.session()).thenReturn(session);
        when(held.peer()).thenReturn(connection);
    }
}
