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
import org.nios2s.listener.limits.ConnectionLimit.Activity;

/** Tests of {@link ConnectionLimit}. Lives on the test's thread, with a clock of its own. */
@DisplayName("A limit of connections")
class ConnectionLimitTest {
    private static final int NO_LIMIT = 0;
    private static final String REMEDY = "open fewer";

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

    private ConnectionLimit.Evictable add(
            final ConnectionLimit limit, final InetAddress address, final String name, final Activity activity)
            throws Exception {
        final ConnectionLimit.Evictable member = member(name);
        limit.add(address, member);
        limit.set(member, activity);
        return member;
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
        final ConnectionLimit.Evictable first = add(limit, address(1), "first", Activity.BUSY);
        add(limit, address(2), "second", Activity.BUSY);
        assertRefused(limit, address(1), REMEDY);
        assertRefused(limit, address(3), REMEDY);
        limit.remove(first);
        limit.remove(first);
        add(limit, address(1), "third", Activity.BUSY);
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
        final ConnectionLimit.Evictable first = member("first");
        final ConnectionLimit.Evictable second = member("second");
        final ConnectionLimit.Evictable third = member("third");
        limit.addProxied(balancer, first);
        limit.addProxied(balancer, second);
        limit.addProxied(balancer, third);
        limit.setAddress(first, address(2));
        limit.setAddress(second, address(3));
        assertRefused(limit, address(2), "connections.max.per.address");
        final ConnectionFault fault = assertThrows(ConnectionFault.class, () -> limit.setAddress(third, address(2)));
        assertTrue(fault.getMessage().startsWith("10.0.0.2 has 1 connections already"), fault.getMessage());
        limit.remove(third);
        limit.remove(first);
        limit.add(address(2), member("fourth"));
        limit.add(balancer, member("the balancer's own"));
        limit.remove(second);
        limit.setAddress(second, balancer);
        assertEquals(2, limit.count());
    }

    @Test
    @DisplayName("lets a load balancer's own connection count where it is")
    void proxiedForItself() throws Exception {
        final ConnectionLimit limit = new ConnectionLimit(10, 1, REMEDY, clock::get);
        final ConnectionLimit.Evictable own = member("own");
        limit.addProxied(address(1), own);
        limit.setAddress(own, address(1));
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
        final List<ConnectionLimit.Evictable> members = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            members.add(add(limit, address(i), "agent " + i, Activity.IDLE));
        }
        limit.set(members.get(0), Activity.IDLE);
        limit.set(members.get(1), Activity.BUSY);
        for (int i = 0; i < 3; i++) {
            add(limit, address(most + i), "newcomer", Activity.BUSY);
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
                final Activity activity = i > 0 && random.nextBoolean() ? Activity.BUSY : Activity.IDLE;
                add(limit, address(random.nextInt(1 << 24)), "idle", activity);
            }
            limit.add(address(random.nextInt(1 << 24)), member("newcomer"));
        }
        assertEquals(400, gaveWay.size());
        assertFalse(gaveWay.contains("newcomer"));
    }

    @Test
    @DisplayName("has idle ones of an address with many give way first, and those that wait in a queue last")
    void order() throws Exception {
        final ConnectionLimit limit = limitOf(16);
        add(limit, address(1), "waits", Activity.WAITING);
        add(limit, address(2), "honest", Activity.IDLE);
        for (int i = 3; i < 8; i++) {
            add(limit, address(i), "busy", Activity.BUSY);
        }
        for (int i = 0; i < 8; i++) {
            add(limit, address(8), "busy of many", Activity.BUSY);
        }
        add(limit, address(8), "of many", Activity.IDLE);
        for (int i = 0; i < 3; i++) {
            limit.add(address(100 + i), member("newcomer"));
        }
        assertEquals(List.of("of many", "honest", "waits"), gaveWay);
        assertRefused(limit, address(200), REMEDY);
    }

    @Test
    @DisplayName("has another one give way for one that became busy before it heard that it has to")
    void moreThanOnce() throws Exception {
        final ConnectionLimit limit = limitOf(2);
        final ConnectionLimit.Evictable quick = add(limit, address(1), "quick", Activity.IDLE);
        final ConnectionLimit.Evictable slow = add(limit, address(2), "slow", Activity.BUSY);
        final ConnectionLimit.Evictable newcomer = add(limit, address(3), "newcomer", Activity.BUSY);
        assertEquals(List.of("quick"), gaveWay);
        limit.set(quick, Activity.BUSY);
        assertRefused(limit, address(4), REMEDY);
        limit.set(slow, Activity.IDLE);
        assertEquals(List.of("quick", "slow"), gaveWay);
        limit.remove(slow);
        limit.remove(newcomer);
        add(limit, address(4), "next", Activity.BUSY);
    }

    @Test
    @DisplayName("is scarce for a moment after somebody was refused, and not for being full")
    void scarce() throws Exception {
        final ConnectionLimit limit = limitOf(2);
        final ConnectionLimit.Evictable first = add(limit, address(1), "first", Activity.BUSY);
        add(limit, address(2), "second", Activity.IDLE);
        assertFalse(limit.isContended());
        add(limit, address(3), "third", Activity.BUSY);
        assertFalse(limit.isContended());
        assertRefused(limit, address(4), REMEDY);
        assertTrue(limit.isContended());
        limit.set(first, Activity.IDLE);
        assertFalse(limit.isContended());
        limit.set(first, Activity.BUSY);
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
            add(limit, address(i), "busy", Activity.BUSY);
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
        add(limit, address(1), "busy", Activity.BUSY);
        add(limit, address(2), "busy", Activity.BUSY);
        assertRefused(limit, address(3), REMEDY);
        limit.sweep();
        assertEquals(1, silent.revocations().size());
        assertEquals(List.of(), slow.revocations());
    }

    @Test
    @DisplayName("refuses one too many from an address, and not from others")
    void perAddress() throws Exception {
        final ConnectionLimit limit = new ConnectionLimit(3, 1, REMEDY, clock::get);
        final ConnectionLimit.Evictable first = add(limit, address(1), "first", Activity.BUSY);
        for (int i = 0; i < 10; i++) {
            assertRefused(limit, address(1), "nifi.remote.input.nio.connections.max.per.address");
        }
        add(limit, address(2), "second", Activity.BUSY);
        limit.remove(first);
        add(limit, address(1), "third", Activity.BUSY);
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
        add(limit, address(1), "first", Activity.IDLE);
        add(limit, address(1), "second", Activity.IDLE);
        add(limit, address(2), "third", Activity.BUSY);
        add(limit, address(2), "fourth", Activity.BUSY);
        assertEquals(List.of("first", "second"), gaveWay);
        assertRefused(limit, address(2), REMEDY);
    }
}
