// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.port.ReceivedFlowFile;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** Peers that come over IPv6 to a listener of both families. Lives on the test's thread. */
class Ipv6Test {
    private static final String TEXT = "0:0:0:0:0:0:0:1";

    private static InetAddress loopback;

    @BeforeAll
    static void needsIpv6() throws IOException {
        loopback = InetAddress.getByName("::1");
        try (ServerSocket socket = new ServerSocket(0, 1, loopback)) {
            assumeTrue(socket.isBound());
        } catch (final IOException e) {
            assumeTrue(false, "This machine has no ::1: " + e);
        }
    }

    private static void pushTo(final MatrixListener listener, final TestPeer peer) throws IOException {
        peer.open(MatrixListener.INPUT_PORT, listener.properties());
        assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.push(Map.of("name", "value"), new byte[10]));
    }

    @ParameterizedTest
    @EnumSource(Variant.class)
    @DisplayName("attributes and provenance name the address as the stock listener does")
    void push(final Variant variant) throws Exception {
        try (MatrixListener listener = new MatrixListener(variant);
                TestPeer peer = listener.connect(loopback)) {
            pushTo(listener, peer);
            final ReceivedFlowFile received = listener.input().committed().getFirst();
            assertEquals(
                    Map.of("name", "value", "s2s.host", TEXT, "s2s.address", TEXT + ":" + peer.localPort()),
                    received.getAttributes());
            final String details = "Remote Host=" + TEXT + ", Remote DN=";
            final List<String> receipt = listener.input().receipts().getFirst();
            assertEquals(details, receipt.getLast().substring(0, details.length()));
            assertEquals(0, listener.internalFaults());
        }
    }

    /** Its text names an interface, which no URL of the stock listener's can have. */
    private static Optional<InetAddress> linkLocal() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(InetAddress::isLinkLocalAddress)
                .filter(Inet6Address.class::isInstance)
                .findAny();
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN_EPOLL", "PLAIN_NIO", "BORINGSSL_EPOLL"})
    @DisplayName("a peer with a link-local address is served as any other")
    void linkLocal(final Variant variant) throws Exception {
        final Optional<InetAddress> address = linkLocal();
        assumeTrue(address.isPresent(), "This machine has no link-local address");
        try (MatrixListener listener = new MatrixListener(variant);
                TestPeer peer = listener.connect(address.get())) {
            pushTo(listener, peer);
            assertEquals(0, listener.internalFaults());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN_EPOLL", "PLAIN_NIO"})
    @DisplayName("a pull is served as over IPv4")
    void pull(final Variant variant) throws Exception {
        final byte[] content = new byte[10];
        try (MatrixListener listener = new MatrixListener(variant);
                TestPeer peer = listener.connect(loopback)) {
            listener.offer(content);
            peer.open(MatrixListener.OUTPUT_PORT, listener.properties());
            peer.request("RECEIVE_FLOWFILES");
            peer.expect(ResponseCode.MORE_DATA);
            peer.finishPull(Message.checksum(listener.readPacket(peer, content)));
            MatrixListener.awaiting().until(() -> listener.output().commits() == 1);
            assertEquals(0, listener.internalFaults());
        }
    }
}
