// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.net.InetAddress;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.nios2s.listener.fault.PeerFault;
import org.nios2s.listener.fault.PeerFault.Kind;

/**
 * How many connections there may be, in all and from one address. Who comes when it is full takes the place of a connection
 * that is idle, else waits in a line, of the address that has most: so that one hurts itself. Thread-safe.
 */
public final class ConnectionLimit {
    /** Connections that are looked at for the longest idle one: many enough, and the same cost with a million. */
    private static final int LOOKED_AT = 64;

    private final int most;
    private final int mostPerAddress;
    private final String remedy;
    private final AtomicInteger total = new AtomicInteger();
    private final Map<InetAddress, Set<Member>> byAddress = new ConcurrentHashMap<>();

    /** A connection that counts. */
    public interface Member {
        /** It is in the middle of something. */
        long BUSY = Long.MAX_VALUE;

        /** @return since when it is idle, as {@link System#nanoTime}; or {@link #BUSY}. From any thread */
        long idleSinceNanos();

        /** Another one takes its place: closes, if it is idle still. From any thread. */
        void giveWay(PeerFault fault);
    }

    /**
     * @param mostPerAddress 0 for no limit
     * @param remedy what to do if there are too few, for the log
     */
    public ConnectionLimit(final int most, final int mostPerAddress, final String remedy) {
        this.most = most;
        this.mostPerAddress = mostPerAddress;
        this.remedy = remedy;
    }

    /** Counts a connection, or throws if it is one too many; then it is not counted. */
    public void add(final InetAddress address, final Member member) throws PeerFault {
        final int ofAddress = byAddress
                .compute(address, (key, members) -> {
                    final Set<Member> all = members == null ? ConcurrentHashMap.newKeySet() : members;
                    all.add(member);
                    return all;
                })
                .size();
        final boolean full = total.incrementAndGet() > most;
        if (mostPerAddress > 0 && ofAddress > mostPerAddress) {
            remove(address, member);
            throw Kind.TOO_MANY_CONNECTIONS.fault("There are " + mostPerAddress + " connections from "
                    + address.getHostAddress() + " already; raise nifi.remote.input.nio.connections.max.per.address");
        }
        if (full) {
            makeRoom(address, member);
        }
    }

    private void makeRoom(final InetAddress address, final Member newcomer) throws PeerFault {
        final Member idlest = byAddress.values().stream()
                .max(Comparator.comparingInt(Set::size))
                .flatMap(members -> members.stream()
                        .filter(member -> member != newcomer && member.idleSinceNanos() != Member.BUSY)
                        .limit(LOOKED_AT)
                        .min(Comparator.comparingLong(Member::idleSinceNanos)))
                .orElse(null);
        final PeerFault fault =
                Kind.TOO_MANY_CONNECTIONS.fault("There are more than " + most + " connections; " + remedy);
        if (idlest == null) {
            remove(address, newcomer);
            throw fault;
        }
        idlest.giveWay(fault);
    }

    public int count() {
        return total.get();
    }

    public boolean isScarce() {
        return total.get() >= most;
    }

    /** A connection that was counted counts no longer; it does no harm to say so twice. */
    public void remove(final InetAddress address, final Member member) {
        byAddress.computeIfPresent(address, (key, members) -> {
            if (members.remove(member)) {
                total.decrementAndGet();
            }
            return members.isEmpty() ? null : members;
        });
    }
}
