// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

/**
 * Decides when the kernel is to acknowledge at once what a peer has sent. Lives on the connection's IO worker.
 *
 * <p>NiFi's client and MiNiFi leave TCP_NODELAY unset, so their kernel keeps a small segment back until the one before is
 * acknowledged (Nagle). Our kernel acknowledges together with our next bytes, or 40 ms later. Both wait for each other
 * when a segment ends within a message, since there is nothing to answer yet, and behind a pull's TRANSACTION_FINISHED,
 * which has no answer.
 *
 * <p>So TCP_QUICKACK is set wherever the peer has to continue and we have sent nothing since its last bytes: it acknowledges
 * these bytes. It also makes Linux acknowledge each small segment that a read takes, until we send something; then it
 * has to be set again. A peer whose messages arrive whole never causes a system call.
 */
final class QuickAck {
    /**
     * A read of so many bytes causes no further system call, so that a large content costs one, and not one for each read:
     * Linux acknowledges every second full segment by itself, and, once asked, also the small one behind them.
     */
    static final int LARGE_READ_BYTES = 16 * 1024;

    /** How the kernel acknowledges received bytes. */
    private enum Mode {
        /** Together with our next bytes, or after a while. */
        DELAYED,
        /** As soon as it is read. */
        QUICK
    }

    private final Runnable kernel;
    private Mode mode = Mode.DELAYED;
    private long unanswered;

    /** @param kernel sets TCP_QUICKACK */
    QuickAck(final Runnable kernel) {
        this.kernel = kernel;
    }

    /** So many bytes were read from the socket, those of TLS included. */
    void received(final int bytes) {
        unanswered += Math.max(0, bytes);
    }

    /** Something is sent: the acknowledgement of received bytes goes with it. */
    void sent() {
        unanswered = 0;
        mode = Mode.DELAYED;
    }

    /** The peer has to continue. */
    void awaitsPeer() {
        if (unanswered == 0) {
            return;
        }
        // In QUICK mode the kernel acknowledges full segments by
        // itself; only a small one behind them needs another call.
        if (mode == Mode.DELAYED || unanswered < LARGE_READ_BYTES) {
            kernel.run();
        }
        mode = Mode.QUICK;
        unanswered = 0;
    }
}
