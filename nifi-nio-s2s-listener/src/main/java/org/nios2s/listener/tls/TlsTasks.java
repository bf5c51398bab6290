// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

/**
 * The TLS tasks of one connection that are with the threads of the {@link TlsHandlerFactory}. Lives on the connection's IO worker.
 *
 * <p>Until a task is done, and TLS has sent what follows from it, the peer can only wait. The state of the TLS engine does not say
 * so: a task leaves it on its own thread, before the IO worker sends the answer.
 */
public final class TlsTasks {
    private int running;

    /** A task waits for a thread from now on, or has one. */
    void begun() {
        running++;
    }

    /** A task is done, and TLS has sent what follows from it, or has begun the next task. */
    void ended() {
        running--;
    }

    /** @return whether it is our turn */
    public boolean areRunning() {
        return running > 0;
    }
}
