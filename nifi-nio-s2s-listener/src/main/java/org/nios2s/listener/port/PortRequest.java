// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.exception.ProcessException;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.codec.FlowFileCodec;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;

/**
 * What we put into a port's queue so that a port task calls us with its session: a server protocol of which the port uses
 * no more than that. A dispatcher thread stands for it until the port has answered; the visit runs on the port task.
 *
 * <p>The port asks several times a second, on the dispatcher thread, whether the request has expired: that is how it is let
 * go when nothing is wanted of the port any more, and how it shows that it is still in the queue.
 */
final class PortRequest extends PartialServerProtocol {
    /** The port asks only whether there is one; the packets have been decoded already. */
    private static final FlowFileCodec CODEC = new StandardFlowFileCodec();

    /** As the port understands an expiration: transactions expire one by one. */
    private static final long NEVER = 0;

    private static final long AT_ONCE = 1;

    /** Sweeps without a sign after which a request is lost: the port took it, and something kept it from answering. */
    private static final int LOST_AFTER_SWEEPS = 16;

    private final PortDispatcher dispatcher;
    private volatile Thread standing;
    private volatile boolean inVisit;
    private volatile int silentSweeps;
    private volatile boolean letGo;

    PortRequest(final PortDispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    /**
     * Puts it into the port's queue and stands for it until the port has answered.
     *
     * @param peer whom the port is to authorize
     */
    void stand(final Peer peer) throws Exception {
        final PublicPort port = dispatcher.port();
        standing = Thread.currentThread();
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
        standing = null;
        Thread.interrupted();
    }

    /** The thread that stands for it goes, whatever the port does with it. */
    synchronized void giveUp() {
        if (standing != null) {
            standing.interrupt();
        }
    }

    /** @return whether the port has neither asked nor answered for so long that it will not; asked once in a sweep */
    boolean isLost() {
        silentSweeps = inVisit ? 0 : silentSweeps + 1;
        return silentSweeps > LOST_AFTER_SWEEPS;
    }

    @Override
    public long getRequestExpiration() {
        if (Thread.currentThread() != standing) {
            // A port task: it has come for whatever there is.
            return NEVER;
        }
        silentSweeps = 0;
        letGo = !dispatcher.wantsTasks();
        return letGo ? AT_ONCE : NEVER;
    }

    /** @return whether the port gave it up since nothing was wanted any more */
    boolean isLetGo() {
        return letGo;
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
        inVisit = true;
        try {
            return dispatcher.serve(context, session);
        } catch (final Throwable e) {
            throw new ProcessException("A visit to " + dispatcher.port() + " failed: " + e, e);
        } finally {
            silentSweeps = 0;
            inVisit = false;
        }
    }

    @Override
    public FlowFileCodec getPreNegotiatedCodec() {
        return CODEC;
    }

    @Override
    public PublicPort getPort() {
        return dispatcher.port();
    }

    @Override
    public boolean isHandshakeSuccessful() {
        return true;
    }
}
