// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.ConnectionLimit.Place;

/** Tests of {@link ConnectionLimit}. Lives on the test's thread, with a clock of its own. */
@DisplayName("A limit of connections")
class ConnectionLimitTest {
    private static final int NO_LIMIT = 0;
    private static final String REMEDY = "open fewer";
    private static final boolean IDLE = true;
    private static final boolean BUSY = false;

    private final AtomicLong clock = new AtomicLong();
    private final List<String> gaveWay = new ArrayList<>();

    private ConnectionLimit limitOf(final int most) {
        return new ConnectionLimit(most, NO_LIMIT, REMEDY, clock::get);
    }

    private static InetAddress address(final int number) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, (byte) (number >> 16), (byte) (number >> 8), (byte) number});
    }

    private ConnectionLimit.Evictable member(final String name) {
        return fault -> gaveWay.add(name);
    }

    private Place add(final ConnectionLimit limit, final InetAddress address, final String name, final boolean isIdle)
            throws Exception {
        final Place place = limit.add(address, member(name));
        place.setIdle(isIdle);
        return place;
    }

    private void assertRefused(final ConnectionLimit limit, final InetAddress address, final String remedy) {
        final int before = limit.count();
        final ConnectionFault fault = assertThrows(ConnectionFault.class, () -> limit.add(address, member("refused")));
        assertEquals(ConnectionFault.Kind.TOO_MANY_CONNECTIONS, fault.kind());
        assertTrue(fault.getMessage().contains(remedy), fault.getMessage());
        assertEquals(before, limit.count());
    }

    @Test
    @DisplayName("refuses one too many where all are busy, and does not count it")
    void refuses() throws Exception {
        final ConnectionLimit limit = limitOf(2);
        final Place first = add(limit, address(1), "first", BUSY);
        add(limit, address(2), "second", BUSY);
        assertRefused(limit, address(1), REMEDY);
        assertRefused(limit, address(3), REMEDY);
        first.close();
        first.close();
        add(limit, address(1), "third", BUSY);
        assertRefused(limit, address(1), REMEDY);
        assertEquals(List.of(), gaveWay);
    }

    @Test
    @DisplayName(
            "counts a connection from a load balancer at the address in its PROXY header, and does not limit it before")
    void proxied() throws Exception {
        final int mostPerAddress = 1;
        final ConnectionLimit limit = new ConnectionLimit(10, mostPerAddress, REMEDY, clock::get);
        final InetAddress balancer = address(1);
        final Place first = limit.addProxied(balancer, member("first"));
        final Place second = limit.addProxied(balancer, member("second"));
        final Place third = limit.addProxied(balancer, member("third"));
        first.setAddress(address(2));
        second.setAddress(address(3));
        assertRefused(limit, address(2), "connections.max.per.address");
        final ConnectionFault fault = assertThrows(ConnectionFault.class, () -> third.setAddress(address(2)));
        assertTrue(fault.getMessage().startsWith("10.0.0.2 has 1 connections already"), fault.getMessage());
        third.close();
        first.close();
        limit.add(address(2), member("fourth"));
        limit.add(balancer, member("the balancer's own"));
        second.close();
        second.setAddress(balancer);
        assertEquals(2, limit.count());
    }

    @Test
    @DisplayName("lets a load balancer's own connection count where it is")
    void proxiedForItself() throws Exception {
        final ConnectionLimit limit = new ConnectionLimit(10, 1, REMEDY, clock::get);
        final Place own = limit.addProxied(address(1), member("own"));
        own.setAddress(address(1));
        assertRefused(limit, address(1), "connections.max.per.address");
    }

    @Test
    @DisplayName("bounds connections from a load balancer in all")
    void proxiedInAll() throws Exception {
        final ConnectionLimit limit = limitOf(1);
        limit.addProxied(address(1), member("first"));
        assertThrows(ConnectionFault.class, () -> limit.addProxied(address(1), member("second")));
        assertEquals(1, limit.count());
    }

    @Test
    @DisplayName("gives the place of the connection that has been idle longest to the newcomer, from any address")
    void longestIdle() throws Exception {
        final int most = 1_000;
        final ConnectionLimit limit = limitOf(most);
        final List<Place> members = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            members.add(add(limit, address(i), "agent " + i, IDLE));
        }
        members.get(0).setIdle(IDLE);
        members.get(1).setIdle(BUSY);
        for (int i = 0; i < 3; i++) {
            add(limit, address(most + i), "newcomer", BUSY);
        }
        assertEquals(List.of("agent 2", "agent 3", "agent 4"), gaveWay);
    }

    @Test
    @DisplayName("refuses no newcomer while one is idle, whatever its address and however busy the others")
    void halfBusy() throws Exception {
        final Random random = new Random(1);
        for (int round = 0; round < 400; round++) {
            final ConnectionLimit limit = limitOf(200);
            for (int i = 0; i < 200; i++) {
                final boolean isIdle = i == 0 || random.nextBoolean();
                add(limit, address(random.nextInt(1 << 24)), "idle", isIdle);
            }
            limit.add(address(random.nextInt(1 << 24)), member("newcomer"));
        }
        assertEquals(400, gaveWay.size());
        assertFalse(gaveWay.contains("newcomer"));
    }

    @Test
    @DisplayName("has idle ones of the address that has most give way first, then the one that has been idle longest")
    void order() throws Exception {
        final ConnectionLimit limit = limitOf(16);
        add(limit, address(1), "longest", IDLE);
        add(limit, address(2), "next", IDLE);
        for (int i = 3; i < 8; i++) {
            add(limit, address(i), "busy", BUSY);
        }
        for (int i = 0; i < 8; i++) {
            add(limit, address(8), "busy of many", BUSY);
        }
        add(limit, address(8), "of many", IDLE);
        for (int i = 0; i < 3; i++) {
            limit.add(address(100 + i), member("newcomer"));
        }
        assertEquals(List.of("of many", "longest", "next"), gaveWay);
        assertRefused(limit, address(200), REMEDY);
    }

    @Test
    @DisplayName("has another one give way for one that became busy before it heard that it has to")
    void moreThanOnce() throws Exception {
        final ConnectionLimit limit = limitOf(2);
        final Place quick = add(limit, address(1), "quick", IDLE);
        final Place slow = add(limit, address(2), "slow", BUSY);
        final Place newcomer = add(limit, address(3), "newcomer", BUSY);
        assertEquals(List.of("quick"), gaveWay);
        quick.setIdle(BUSY);
        assertRefused(limit, address(4), REMEDY);
        slow.setIdle(IDLE);
        assertEquals(List.of("quick", "slow"), gaveWay);
        slow.close();
        newcomer.close();
        add(limit, address(4), "next", BUSY);
    }

    @Test
    @DisplayName("is scarce for a moment after somebody was refused, and not for being full")
    void scarce() throws Exception {
        final ConnectionLimit limit = limitOf(2);
        final Place first = add(limit, address(1), "first", BUSY);
        add(limit, address(2), "second", IDLE);
        assertFalse(limit.isContended());
        add(limit, address(3), "third", BUSY);
        assertFalse(limit.isContended());
        assertRefused(limit, address(4), REMEDY);
        assertTrue(limit.isContended());
        first.setIdle(IDLE);
        assertFalse(limit.isContended());
        first.setIdle(BUSY);
        assertTrue(limit.isContended());
        clock.addAndGet(Duration.ofSeconds(6).toNanos());
        assertFalse(limit.isContended());
    }

    private TestHolder hold(final ConnectionLimit limit, final String peer, final boolean isSilent) {
        final TestHolder holder = new TestHolder(peer);
        limit.hold(holder);
        final long time = Revocation.PATIENCE_NANOS;
        holder.turn().count(true, time, isSilent ? time : 0);
        return holder;
    }

    @Test
    @DisplayName("ends a busy connection of the peer that has most when newcomers are refused, and none before")
    void makesRoom() throws Exception {
        final ConnectionLimit limit = limitOf(3);
        final TestHolder first = hold(limit, "heavy", false);
        final TestHolder second = hold(limit, "heavy", false);
        final TestHolder slow = hold(limit, "slow", false);
        for (int i = 0; i < 3; i++) {
            add(limit, address(i), "busy", BUSY);
        }
        limit.sweep();
        assertEquals(0, first.revocations().size() + second.revocations().size());
        assertRefused(limit, address(4), REMEDY);
        limit.sweep();
        limit.sweep();
        assertEquals(1, first.revocations().size() + second.revocations().size());
        assertEquals(List.of(), slow.revocations());
    }

    @Test
    @DisplayName("ends a silent connection when newcomers are refused, and no slow one of a peer that has no other")
    void silentMakesRoom() throws Exception {
        final ConnectionLimit limit = limitOf(2);
        final TestHolder slow = hold(limit, "slow", false);
        final TestHolder silent = hold(limit, "silent", true);
        add(limit, address(1), "busy", BUSY);
        add(limit, address(2), "busy", BUSY);
        assertRefused(limit, address(3), REMEDY);
        limit.sweep();
        assertEquals(1, silent.revocations().size());
        assertEquals(List.of(), slow.revocations());
    }

    @Test
    @DisplayName("refuses one too many from an address, and not from others")
    void perAddress() throws Exception {
        final ConnectionLimit limit = new ConnectionLimit(3, 1, REMEDY, clock::get);
        final Place first = add(limit, address(1), "first", BUSY);
        for (int i = 0; i < 10; i++) {
            assertRefused(limit, address(1), "nifi.remote.input.nio.connections.max.per.address");
        }
        add(limit, address(2), "second", BUSY);
        first.close();
        add(limit, address(1), "third", BUSY);
    }

    @Test
    @DisplayName("takes a network of 64 bits for one address, with IPv6")
    void networks() throws Exception {
        final ConnectionLimit limit = new ConnectionLimit(10, 1, REMEDY, clock::get);
        limit.add(InetAddress.getByName("2001:db8:0:1::1"), member("first"));
        assertRefused(
                limit,
                InetAddress.getByName("2001:db8:0:1:ffff::2"),
                "nifi.remote.input.nio.connections.max.per.address");
        limit.add(InetAddress.getByName("2001:db8:0:2::1"), member("second"));
        limit.add(InetAddress.getByName("::1"), member("third"));
    }

    @Test
    @DisplayName("asks another connection for each newcomer, though those that were asked have not left yet")
    void burst() throws Exception {
        final ConnectionLimit limit = limitOf(2);
        add(limit, address(1), "first", IDLE);
        add(limit, address(1), "second", IDLE);
        add(limit, address(2), "third", BUSY);
        add(limit, address(2), "fourth", BUSY);
        assertEquals(List.of("first", "second"), gaveWay);
        assertRefused(limit, address(2), REMEDY);
    }
}
