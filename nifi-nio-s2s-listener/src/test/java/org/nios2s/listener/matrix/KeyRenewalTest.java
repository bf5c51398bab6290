// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Path;
import java.security.Security;
import java.util.zip.CRC32;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.matrix.RenewingPeer.Action;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** A Java peer renews the keys of TLS 1.3 while it pulls or pushes. Lives on the test's thread. */
class KeyRenewalTest {
    private static final int CONTENT_BYTES = 40 << 20;

    /** In which that content is sent. */
    private static final int RECORDS = CONTENT_BYTES / (16 * 1024);

    private static final int RENEWALS = 10;
    private static final int LARGE_BYTES = 200 << 20;
    private static final int LIMIT_BYTES = 1 << 20;

    private static final String KEY_LIMITS = "jdk.tls.keyLimits";

    @TempDir
    private Path directory;

    private String run(final MatrixListener listener, final Action action, final long bytes) throws Exception {
        return new RenewingPeer(directory, listener.keys(), listener.port(), LIMIT_BYTES).run(action, bytes);
    }

    @ParameterizedTest
    @EnumSource(names = {"JDK_TLS_EPOLL", "JDK_TLS_NIO"})
    @DisplayName("in a pull, with more new keys than a peer may send that gets no data")
    void inAPull(final Variant variant) throws Exception {
        try (MatrixListener listener = MatrixListener.patient(variant)) {
            listener.offer(new byte[LARGE_BYTES]);
            assertEquals("", run(listener, Action.PULL, LARGE_BYTES));
            assertEquals(0, listener.faults(ConnectionFault.Kind.TLS));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JDK_TLS_EPOLL", "JDK_TLS_NIO"})
    @DisplayName("in a pull that was sent in whole before the peer has read it")
    void behindThePackets(final Variant variant) throws Exception {
        final byte[] content = new byte[CONTENT_BYTES];
        try (MatrixListener listener = MatrixListener.patient(variant);
                TestPeer peer = listener.connect()) {
            listener.offer(content);
            peer.open(MatrixListener.OUTPUT_PORT);
            peer.request("RECEIVE_FLOWFILES");
            peer.expect(ResponseCode.MORE_DATA);
            final CRC32 checksum = new CRC32();
            checksum.update(listener.readPacket(peer, content));
            peer.expect(ResponseCode.FINISH_TRANSACTION);
            peer.renewKeys(RECORDS);
            peer.say(Message.response(ResponseCode.CONFIRM_TRANSACTION, String.valueOf(checksum.getValue())));
            peer.expect(ResponseCode.CONFIRM_TRANSACTION);
            assertEquals(0, listener.faults(ConnectionFault.Kind.TLS));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL_EPOLL", "BORINGSSL_NIO"})
    @DisplayName("in a pull that BoringSSL breaks off: the next connection of the peer is the JDK's, and completes")
    void inAPullFromBoringSsl(final Variant variant) throws Exception {
        try (MatrixListener listener = MatrixListener.patient(variant)) {
            listener.offer(new byte[CONTENT_BYTES]);
            assertNotEquals("", run(listener, Action.PULL, CONTENT_BYTES));
            assertEquals(1, listener.faults(ConnectionFault.Kind.TLS));
            MatrixListener.awaiting().until(() -> listener.output().queued() == 1);
            assertEquals("", run(listener, Action.PULL, CONTENT_BYTES));
            assertEquals(1, listener.faults(ConnectionFault.Kind.TLS));
        }
    }

    @Test
    @DisplayName("in the first pull, where NiFi's Java is told to renew keys as often: the JDK serves from the start")
    void inAPullWhereNifiRenewsKeysToo() throws Exception {
        final String usual = Security.getProperty(KEY_LIMITS);
        Security.setProperty(KEY_LIMITS, "AES/GCM/NoPadding KeyUpdate " + LIMIT_BYTES);
        try (MatrixListener listener = MatrixListener.patient(Variant.BORINGSSL_EPOLL, "tls.provider", "auto")) {
            listener.offer(new byte[CONTENT_BYTES]);
            assertEquals("", run(listener, Action.PULL, CONTENT_BYTES));
            assertEquals(0, listener.faults(ConnectionFault.Kind.TLS));
        } finally {
            Security.setProperty(KEY_LIMITS, usual);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL_EPOLL", "BORINGSSL_NIO", "JDK_TLS_EPOLL", "JDK_TLS_NIO"})
    @DisplayName("in a push")
    void inAPush(final Variant variant) throws Exception {
        try (MatrixListener listener = MatrixListener.patient(variant)) {
            assertEquals("", run(listener, Action.PUSH, CONTENT_BYTES));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL_EPOLL", "JDK_TLS_NIO"})
    @DisplayName("anywhere in the conversation, which goes on")
    void anywhere(final Variant variant) throws Exception {
        try (MatrixListener listener = MatrixListener.patient(variant)) {
            for (final Place place : Place.values()) {
                final long handshakes = listener.metric("TlsHandshakes");
                try (TestPeer peer = listener.connect()) {
                    place.reach(peer, listener);
                    peer.renewKeys(RENEWALS);
                    peer.say(place.message());
                    peer.renewKeys(RENEWALS);
                    listener.input().scheduled(true);
                    listener.output().scheduled(true);
                    MatrixListener.awaiting().until(() -> listener.metric("TlsHandshakes") > handshakes);
                    assertEquals(0, listener.faults(ConnectionFault.Kind.TLS), place::name);
                }
                listener.awaitNoConnection();
                assertEquals(0, listener.faults(ConnectionFault.Kind.TLS), place::name);
                assertEquals(0, listener.internalFaults(), place::name);
                listener.takeBack();
            }
            listener.awaitAsBefore();
        }
    }
}
