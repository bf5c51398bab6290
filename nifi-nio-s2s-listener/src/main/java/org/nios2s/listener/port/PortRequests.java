// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.exception.NotAuthorizedException;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.fault.PeerFault;
import org.nios2s.listener.transaction.TransactionPeer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests in one port's own queue: as many as there is work for, at most one for each of the port's concurrent tasks,
 * each with a dispatcher thread that stands for it. Any thread asks for them; what failed is repeated by the sweep.
 */
final class PortRequests {
    private static final Logger logger = LoggerFactory.getLogger(PortRequests.class);

    /**
     * Something that waits for a port task and leads a request.
     *
     * @param peer whom the port authorizes
     * @param refusal hears if there will be no visit for it; nothing happens if it does not wait any more
     */
    record Lead(TransactionPeer peer, Consumer<PeerFault> refusal) {}

    private final PublicPort port;
    private final PortDispatcher dispatcher;
    private final Executor threads;
    private final AtomicInteger count = new AtomicInteger();
    private final Set<PortRequest> inPort = ConcurrentHashMap.newKeySet();

    PortRequests(final PortDispatcher dispatcher, final Executor threads) {
        this.port = dispatcher.port();
        this.dispatcher = dispatcher;
        this.threads = threads;
    }

    /** Makes as many as are wanted. */
    void request() {
        final int wanted = dispatcher.tasksWanted();
        int current = count.get();
        while (current < wanted) {
            if (count.compareAndSet(current, current + 1) && !start()) {
                return;
            }
            current = count.get();
        }
    }

    private boolean start() {
        try {
            threads.execute(() -> Guarded.run("A request to " + port, this::stand));
            return true;
        } catch (final RejectedExecutionException e) {
            logger.debug("The listener has stopped: {} gets no further request", port, e);
        } catch (final Throwable e) {
            logger.error("No thread for a request to {}; the next sweep tries again", port, e);
        }
        count.decrementAndGet();
        return false;
    }

    /** Dispatcher thread. */
    private void stand() {
        final boolean answered;
        try {
            final Lead lead = dispatcher.lead();
            answered = lead == null || isAnswered(lead);
        } finally {
            count.decrementAndGet();
        }
        if (answered) {
            request();
        }
    }

    /** @return whether the port answered as it should */
    private boolean isAnswered(final Lead lead) {
        final PortRequest request = new PortRequest(dispatcher);
        inPort.add(request);
        try {
            request.stand(lead.peer().toPeer());
            return true;
        } catch (final NotAuthorizedException e) {
            lead.refusal().accept(new PeerFault(PeerFault.Kind.NOT_AUTHORIZED, String.valueOf(e.getMessage())));
            return true;
        } catch (final Exception e) {
            if (!port.isRunning()) {
                dispatcher.portStopped();
                return true;
            }
            if (request.isLetGo()) {
                return true;
            }
            logger.debug("{} did not serve a request", port, e);
            // Else it might lead for ever.
            lead.refusal()
                    .accept(new PeerFault(PeerFault.Kind.COMMIT_FAILED, "The port did not serve the request: " + e, e));
            return false;
        } finally {
            inPort.remove(request);
        }
    }

    /** Gives up what the port has lost, and makes what is wanted. */
    void sweep() {
        for (final PortRequest request : inPort) {
            if (request.isLost()) {
                logger.error("{} took a request and did not answer; another one is made", port);
                request.giveUp();
            }
        }
        request();
    }

    /** @return how many there are */
    int count() {
        return count.get();
    }
}
