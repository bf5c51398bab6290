// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.PeerDescription;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.StandardPublicPort;
import org.apache.nifi.remote.protocol.CommunicationsSession;
import org.apache.nifi.remote.protocol.ServerProtocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has NiFi show a port as transmitting while data moves there. Thread-safe.
 *
 * <p>NiFi shows a port as transmitting while the port has an active {@code FlowFileRequest}: from the moment in which a port task
 * takes it. A {@link PortTrigger} is with a port task for the length of a commit, whereas a transfer may last for minutes. So
 * as long as transactions are under way a mark stands among the active requests. NiFi interrupts active requests when it stops
 * the port, so the mark also tells us of the stop at once.
 *
 * <p>The set of active requests is private to NiFi's port. Where a NiFi keeps it elsewhere, the port is shown as transmitting
 * only during commits, and nothing else changes.
 */
final class TransmittingMark {
    private static final Logger logger = LoggerFactory.getLogger(TransmittingMark.class);
    private static final Optional<Access> ACCESS = Access.find();

    /** The mark stands for all peers of the port, but NiFi's class needs one URL. */
    private static final String URL = "nifi://localhost:0";

    private final PublicPort port;
    private Object mark;
    private boolean closed;

    TransmittingMark(final PublicPort port) {
        this.port = port;
    }

    /** Handles for the private fields of NiFi's port. */
    private record Access(VarHandle activeRequests, VarHandle requestLock, MethodHandle newRequest) {
        private static Optional<Access> find() {
            try {
                final MethodHandles.Lookup lookup =
                        MethodHandles.privateLookupIn(StandardPublicPort.class, MethodHandles.lookup());
                final Class<?> request = lookup.findClass(StandardPublicPort.class.getName() + "$FlowFileRequest");
                // A lookup in a class of NiFi's loader may look into no further class, so this one begins here, too.
                final MethodHandles.Lookup requestLookup =
                        MethodHandles.privateLookupIn(request, MethodHandles.lookup());
                return Optional.of(new Access(
                        lookup.findVarHandle(StandardPublicPort.class, "activeRequests", Set.class),
                        lookup.findVarHandle(StandardPublicPort.class, "requestLock", Lock.class),
                        requestLookup.findConstructor(
                                request, MethodType.methodType(void.class, Peer.class, ServerProtocol.class))));
            } catch (final ReflectiveOperationException | RuntimeException | LinkageError e) {
                logger.info(
                        "This NiFi shows public ports as transmitting only during commits; data moves as always, and nothing is to"
                                + " be done. The cause: {}",
                        String.valueOf(e));
                return Optional.empty();
            }
        }
    }

    /**
     * Shows the port as transmitting, unless the mark is closed.
     *
     * @param session that NiFi interrupts when the port is stopped
     */
    synchronized void show(final CommunicationsSession session) {
        if (!closed && mark == null && port instanceof StandardPublicPort && ACCESS.isPresent()) {
            try {
                final Peer peers = new Peer(new PeerDescription("localhost", 0, false), session, URL, URL);
                mark = ACCESS.get().newRequest().invoke(peers, (ServerProtocol) null);
                change(requests -> requests.add(mark));
            } catch (final Throwable e) {
                logger.debug("{} can't be shown as transmitting", port, e);
            }
        }
    }

    synchronized void hide() {
        if (mark != null) {
            change(requests -> requests.remove(mark));
            mark = null;
        }
    }

    /** Hides the mark for good: a sweep that began before may still ask to show it. */
    synchronized void close() {
        closed = true;
        hide();
    }

    /** Changes the set of active requests. */
    private interface Change {
        void apply(Set<Object> activeRequests);
    }

    @SuppressWarnings("unchecked")
    private void change(final Change change) {
        final Access access = ACCESS.get();
        final Lock lock = (Lock) access.requestLock().get(port);
        lock.lock();
        try {
            change.apply((Set<Object>) access.activeRequests().get(port));
        } finally {
            lock.unlock();
        }
    }
}
