// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.connection.ListenerContext;
import org.nios2s.listener.connection.MessageSequenceHandler;
import org.nios2s.listener.connection.WorkerConnections;
import org.nios2s.listener.fault.PeerFault;
import org.nios2s.listener.settings.ListenerSettings;

/** Tests of {@link ConnectionLimit}. Lives on the test's thread. */
@DisplayName("A limit of connections")
class ConnectionLimitTest {
    private static final int NO_LIMIT = 0;
    private static final String REMEDY = "open fewer";

    private InetAddress one;
    private InetAddress other;

    @BeforeEach
    void addresses() throws Exception {
        one = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
        other = InetAddress.getByAddress(new byte[] {10, 0, 0, 2});
    }

    /** A connection; lives on the test's thread. */
    private static final class Peer implements ConnectionLimit.Member {
        private long idleSinceNanos;
        private final List<PeerFault> gaveWay = new ArrayList<>();

        Peer(final long idleSinceNanos) {
            this.idleSinceNanos = idleSinceNanos;
        }

        static Peer busy() {
            return new Peer(BUSY);
        }

        @Override
        public long idleSinceNanos() {
            return idleSinceNanos;
        }

        @Override
        public void giveWay(final PeerFault fault) {
            gaveWay.add(fault);
            idleSinceNanos = BUSY;
        }

        boolean hasGivenWay() {
            return !gaveWay.isEmpty();
        }
    }

    private static void assertRefused(final ConnectionLimit limit, final InetAddress address, final String remedy) {
        final PeerFault fault = assertThrows(PeerFault.class, () -> limit.add(address, Peer.busy()));
        assertEquals(PeerFault.Kind.TOO_MANY_CONNECTIONS, fault.kind());
        assertTrue(fault.getMessage().endsWith(remedy), fault.getMessage());
    }

    @Test
    @DisplayName("refuses one too many where all are busy, and does not count it")
    void refuses() throws Exception {
        final ConnectionLimit limit = new ConnectionLimit(2, NO_LIMIT, REMEDY);
        final Peer first = Peer.busy();
        limit.add(one, first);
        assertFalse(limit.isScarce());
        limit.add(other, Peer.busy());
        assertTrue(limit.isScarce());
        assertRefused(limit, one, REMEDY);
        assertRefused(limit, one, REMEDY);
        limit.remove(one, first);
        limit.remove(one, first);
        limit.add(one, Peer.busy());
        assertRefused(limit, one, REMEDY);
    }

    @Test
    @DisplayName("gives the place of the longest idle connection, of the address that has most, to the newcomer")
    void replaces() throws Exception {
        final ConnectionLimit limit = new ConnectionLimit(4, NO_LIMIT, REMEDY);
        final Peer honest = new Peer(1);
        final Peer longIdle = new Peer(2);
        final Peer shortIdle = new Peer(3);
        limit.add(one, honest);
        limit.add(other, Peer.busy());
        limit.add(other, shortIdle);
        limit.add(other, longIdle);
        limit.add(one, Peer.busy());
        assertTrue(longIdle.hasGivenWay());
        assertFalse(shortIdle.hasGivenWay());
        assertFalse(honest.hasGivenWay());
    }

    @Test
    @DisplayName("refuses one too many from an address, and not from others")
    void perAddress() throws Exception {
        final ConnectionLimit limit = new ConnectionLimit(3, 1, REMEDY);
        final Peer first = Peer.busy();
        limit.add(one, first);
        for (int i = 0; i < 10; i++) {
            assertRefused(limit, one, "nifi.remote.input.nio.connections.max.per.address");
        }
        limit.add(other, Peer.busy());
        limit.remove(one, first);
        limit.add(one, Peer.busy());
    }

    @Test
    @DisplayName("does not ask a connection that is not built yet")
    void notBuilt() throws Exception {
        final ListenerContext context = mock(ListenerContext.class);
        when(context.settings()).thenReturn(ListenerSettings.from(new NiFiProperties(Map.of())));
        when(context.budget()).thenReturn(new MemoryBudget(1));
        final MessageSequenceHandler unbuilt = new MessageSequenceHandler(context, new WorkerConnections(nanos -> {}));
        final ConnectionLimit limit = new ConnectionLimit(1, NO_LIMIT, REMEDY);
        limit.add(one, unbuilt);
        assertRefused(limit, other, REMEDY);
        limit.remove(one, unbuilt);
        limit.add(other, Peer.busy());
    }

    @Test
    @DisplayName("asks another connection for each newcomer, though those that were asked have not left yet")
    void burst() throws Exception {
        final ConnectionLimit limit = new ConnectionLimit(2, NO_LIMIT, REMEDY);
        final List<Peer> idle = List.of(new Peer(1), new Peer(2));
        for (final Peer peer : idle) {
            limit.add(one, peer);
        }
        limit.add(other, Peer.busy());
        limit.add(other, Peer.busy());
        assertTrue(idle.stream().allMatch(Peer::hasGivenWay));
        assertRefused(limit, other, REMEDY);
    }
}
