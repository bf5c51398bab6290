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
 * Our entry in a port's queue: NiFi triggers the port, and a port task passes us its session. A dispatcher thread waits in the port
 * until the port has answered; the run itself is on the port task.
 *
 * <p>While the dispatcher thread waits, the port asks several times a second, on that thread, whether the trigger has expired.
 * By the answer the trigger is released when nothing is wanted of the port any more. By the question the trigger shows that it is
 * still in the queue.
 */
final class PortTrigger extends SocketFlowFileServerProtocol {
    private static final Logger logger = LoggerFactory.getLogger(PortTrigger.class);

    /** The port asks only whether there is one; the packets have been decoded already. */
    private static final FlowFileCodec CODEC = new StandardFlowFileCodec();

    /** As the port understands an expiration: transactions expire one by one. */
    private static final long NEVER = 0;

    private static final long AT_ONCE = 1;

    /**
     * Sweeps without a sign after which a trigger is lost: the port took it, and something kept the port from answering. They
     * take half a minute, since before it calls us the port asks NiFi's authorizer, which may ask another machine.
     */
    private static final int LOST_AFTER_SWEEPS = 120;

    private final PortDispatcher dispatcher;
    private volatile Thread waiter;
    private volatile boolean isRunning;
    private volatile int silentSweeps;
    private volatile boolean isReleased;
    private volatile boolean isLost;

    /**
     * The transaction that has waited longest for a port task: the port authorizes its peer for the whole run.
     *
     * @param peer whom the port authorizes
     * @param refusal called if no port task will come for it; does nothing if it does not wait any more
     */
    record QueueHead(TransactionPeer peer, Consumer<ConnectionFault> refusal) {}

    PortTrigger(final PortDispatcher dispatcher) {
        this.dispatcher = dispatcher;
        this.port = dispatcher.port();
        this.handshakeCompleted = true;
        this.negotiatedFlowFileCodec = CODEC;
    }

    /** Waits in the port's queue until the port has answered, and says whether the port did so as it should. */
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
            // The port's queue is full of what is not ours: the next sweep tries again.
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
                // The head may have nothing to do with the loss: it is the
                // head of the next trigger, too, before it is refused.
                return true;
            }
            logger.debug("{} did not serve a trigger", port, e);
            // The head has to go: otherwise it would be the head of
            // every trigger to come, and nothing else would be served.
            head.refusal()
                    .accept(Kind.COMMIT_FAILED.fault(
                            "NiFi's port did not serve the transaction, which is rolled back: " + e, e));
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

    /** Clears the interrupt of a sweep that found the trigger lost just before it left: the thread goes back to its pool. */
    private synchronized void leave() {
        waiter = null;
        Thread.interrupted();
    }

    /** Gives the trigger up if the port has neither asked nor answered for so long that it will not; called once in a sweep. */
    synchronized void giveUpIfLost() {
        if (isRunning || waiter == null) {
            silentSweeps = 0;
            return;
        }
        silentSweeps++;
        if (silentSweeps > LOST_AFTER_SWEEPS) {
            logger.error(
                    "{} took a trigger half a minute ago and has not answered; the listener makes another one. Look at NiFi's"
                            + " authorizer if it is slow, otherwise at the errors before this line in NiFi's log",
                    port);
            isLost = true;
            waiter.interrupt();
        }
    }

    @Override
    public long getRequestExpiration() {
        if (Thread.currentThread() != waiter) {
            // A port task asks: it has come for whatever is ready.
            return NEVER;
        }
        silentSweeps = 0;
        isReleased = !dispatcher.wantsTasks();
        if (isReleased) {
            return AT_ONCE;
        }
        return NEVER;
    }

    @Override
    public int receiveFlowFiles(
            final Peer peer, final ProcessContext context, final ProcessSession session, final FlowFileCodec codec) {
        return run(context, session);
    }

    @Override
    public int transferFlowFiles(
            final Peer peer, final ProcessContext context, final ProcessSession session, final FlowFileCodec codec) {
        return run(context, session);
    }

    private int run(final ProcessContext context, final ProcessSession session) {
        isRunning = true;
        try {
            final int flowFiles = dispatcher.run(context, session);
            // The commits of this run stay, even if the next trigger fails.
            Guarded.run("The next trigger of " + port, () -> dispatcher.taskReturned(this));
            return flowFiles;
        } catch (final Throwable e) {
            // An Error would keep the port from answering, and NiFi from
            // triggering it for half a minute: it takes an exception.
            throw new ProcessException("Serving Site-to-Site at " + port + " failed: " + e, e);
        } finally {
            silentSweeps = 0;
            isRunning = false;
        }
    }
}
