// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.function.Consumer;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.exception.ProcessException;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.codec.FlowFileCodec;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.exception.NotAuthorizedException;
import org.apache.nifi.remote.exception.RequestExpiredException;
import org.apache.nifi.remote.protocol.socket.SocketFlowFileServerProtocol;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.transaction.TransactionPeer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What we put into a port's queue so that a port task calls us with its session: a server protocol of which the port uses
 * no more than that. A dispatcher thread stands for it until the port has answered; the visit runs on the port task.
 *
 * <p>The port asks several times a second, on the dispatcher thread, whether the request has expired: that is how it is let
 * go when nothing is wanted of the port any more, and how it shows that it is still in the queue.
 */
final class PortTrigger extends SocketFlowFileServerProtocol {
    private static final Logger logger = LoggerFactory.getLogger(PortTrigger.class);

    /** The port asks only whether there is one; the packets have been decoded already. */
    private static final FlowFileCodec CODEC = new StandardFlowFileCodec();

    /** As the port understands an expiration: transactions expire one by one. */
    private static final long NEVER = 0;

    private static final long AT_ONCE = 1;

    /**
     * Sweeps without a sign after which a request is lost: the port took it, and something kept the port from answering. It is
     * half a minute, since before it calls us the port asks NiFi's authorizer, which may ask another machine.
     */
    private static final int LOST_AFTER_SWEEPS = 120;

    private final PortDispatcher dispatcher;
    private volatile Thread waiter;
    private volatile boolean isRunning;
    private volatile int silentSweeps;
    private volatile boolean isReleased;
    private volatile boolean isLost;

    /**
     * Something that waits for a port task and leads a request.
     *
     * @param peer whom the port authorizes
     * @param refusal hears if there will be no visit for it; nothing happens if it does not wait any more
     */
    record QueueHead(TransactionPeer peer, Consumer<ConnectionFault> refusal) {}

    PortTrigger(final PortDispatcher dispatcher) {
        this.dispatcher = dispatcher;
        this.port = dispatcher.port();
        this.handshakeCompleted = true;
        this.negotiatedFlowFileCodec = CODEC;
    }

    /** Stands in the port's queue until the port has answered, and says whether it did so as it should. */
    boolean awaitTask() {
        final QueueHead head = dispatcher.head();
        if (head == null) {
            return true;
        }
        try {
            awaitTaskInPort(head.peer().toPeer(dispatcher::interrupted));
            return true;
        } catch (final NotAuthorizedException e) {
            head.refusal().accept(Kind.NOT_AUTHORIZED.fault(String.valueOf(e.getMessage())));
            return true;
        } catch (final RequestExpiredException e) {
            // The port's queue is full of requests that are not ours: the next sweep tries again.
            return false;
        } catch (final Exception e) {
            if (!dispatcher.isPortRunning()) {
                dispatcher.portStopped();
                return true;
            }
            if (isReleased) {
                return true;
            }
            if (isLost && dispatcher.isFirstLoss(head.peer())) {
                // Not the fault of what leads it: that leads the next request, too.
                return true;
            }
            logger.debug("{} did not serve a request", port, e);
            // Otherwise it might lead for ever.
            head.refusal().accept(Kind.COMMIT_FAILED.fault("The port did not serve the request: " + e, e));
            return false;
        }
    }

    private void awaitTaskInPort(final Peer peer) throws Exception {
        waiter = Thread.currentThread();
        try {
            if (port.getConnectableType() == ConnectableType.INPUT_PORT) {
                port.receiveFlowFiles(peer, this);
            } else {
                port.transferFlowFiles(peer, this);
            }
        } finally {
            leave();
        }
    }

    private synchronized void leave() {
        waiter = null;
        Thread.interrupted();
    }

    /** Gives it up if the port has neither asked nor answered for so long that it will not; called once in a sweep. */
    synchronized void giveUpIfLost() {
        silentSweeps = isRunning || waiter == null ? 0 : silentSweeps + 1;
        if (silentSweeps > LOST_AFTER_SWEEPS) {
            logger.error(
                    "{} took a request half a minute ago and has not answered; another one is made. If NiFi's authorizer is"
                            + " slow, look there; otherwise NiFi's log says what failed",
                    port);
            isLost = true;
            waiter.interrupt();
        }
    }

    @Override
    public long getRequestExpiration() {
        if (Thread.currentThread() != waiter) {
            // A port task: it has come for whatever there is.
            return NEVER;
        }
        silentSweeps = 0;
        isReleased = !dispatcher.wantsTasks();
        return isReleased ? AT_ONCE : NEVER;
    }

    @Override
    public int receiveFlowFiles(
            final Peer peer, final ProcessContext context, final ProcessSession session, final FlowFileCodec codec) {
        return serve(context, session);
    }

    @Override
    public int transferFlowFiles(
            final Peer peer, final ProcessContext context, final ProcessSession session, final FlowFileCodec codec) {
        return serve(context, session);
    }

    /** An Error would keep the port from answering, and from being triggered for half a minute: it takes an exception. */
    private int serve(final ProcessContext context, final ProcessSession session) {
        isRunning = true;
        try {
            final int flowFiles = dispatcher.serve(context, session);
            // What has been committed stays so, whatever comes of the next request.
            Guarded.run("The next request to " + port, () -> dispatcher.taskReturned(this));
            return flowFiles;
        } catch (final Throwable e) {
            throw new ProcessException("A visit to " + port + " failed: " + e, e);
        } finally {
            silentSweeps = 0;
            isRunning = false;
        }
    }
}
