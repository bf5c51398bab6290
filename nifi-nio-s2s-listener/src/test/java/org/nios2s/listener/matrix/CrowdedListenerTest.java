// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.peers.Message;

/** Newcomers find as many connections as there may be. Lives on the test's thread. */
@Timeout(120)
class CrowdedListenerTest {
    private static final int MOST = 200;
    private static final int NEWCOMERS = 400;
    private static final int SMALL_PUSH_BYTES = 10_000;

    @ParameterizedTest
    @EnumSource(names = {"PLAIN_EPOLL", "PLAIN_NIO"})
    @DisplayName("each newcomer is served while half of the connections are idle, and none that is busy is cut off")
    void newcomers(final Variant variant) throws Exception {
        final List<MatrixPeer> peers = new ArrayList<>();
        try (ServedListener listener = ServedListener.patient(variant, "connections.max", String.valueOf(MOST))) {
            final List<MatrixPeer> busy = new ArrayList<>();
            for (int i = 0; i < MOST / 2; i++) {
                final MatrixPeer pushing = listener.connect();
                busy.add(pushing);
                Place.CONTENT.reach(pushing, listener);
                final MatrixPeer idle = listener.connect();
                peers.add(idle);
                Place.PUSH.reach(idle, listener);
            }
            for (int i = 0; i < NEWCOMERS; i++) {
                final MatrixPeer newcomer = listener.connect();
                peers.add(newcomer);
                Place.CONTENT.reach(newcomer, listener);
                finish(newcomer);
            }
            for (final MatrixPeer pushing : busy) {
                finish(pushing);
                pushing.close();
            }
            assertEquals(MOST / 2 + NEWCOMERS, listener.input().commits());
            assertEquals(NEWCOMERS, listener.faults(ConnectionFault.Kind.TOO_MANY_CONNECTIONS), "those that gave way");
            assertEquals(NEWCOMERS, listener.metric("Faults"));
        } finally {
            for (final MatrixPeer peer : peers) {
                peer.close();
            }
        }
    }

    @Test
    @DisplayName("peers with one small push each may be as slow as they like, however many of them wait for memory")
    void slowFleet() throws Exception {
        final byte[] beginning = Message.all(
                Message.opening(ServedListener.INPUT),
                Message.utf("SEND_FLOWFILES"),
                Message.packetHeader(SMALL_PUSH_BYTES));
        final List<Socket> fleet = new ArrayList<>();
        try (ServedListener listener = ServedListener.patient(Variant.PLAIN_EPOLL, "buffer.memory", "1 MB")) {
            for (int i = 1; i <= MOST; i++) {
                final Socket peer = new Socket();
                fleet.add(peer);
                peer.bind(new InetSocketAddress("127.1.0." + i, 0));
                peer.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.port()));
                peer.getOutputStream().write(beginning);
            }
            ServedListener.awaiting().until(() -> listener.metric("TransactionsInProgress") == MOST);
            assertTrue(listener.metric("BufferUsedBytes") < MOST * MemoryBudget.SMALL_BYTES, "all have memory");
            final long began = System.nanoTime();
            ServedListener.awaiting().pollInterval(Duration.ofMillis(250)).until(() -> {
                for (final Socket peer : fleet) {
                    peer.getOutputStream().write(0);
                }
                return System.nanoTime() - began > TimeUnit.SECONDS.toNanos(5);
            });
            assertEquals(0, listener.metric("Faults"));
        } finally {
            for (final Socket peer : fleet) {
                peer.close();
            }
        }
    }

    private static void finish(final MatrixPeer peer) throws Exception {
        peer.say(Place.Size.SMALL_CONTENT, Message.response(ResponseCode.FINISH_TRANSACTION));
        peer.expect(ResponseCode.CONFIRM_TRANSACTION);
        peer.say(Message.response(ResponseCode.CONFIRM_TRANSACTION, ""));
        peer.expect(ResponseCode.TRANSACTION_FINISHED);
    }
}
