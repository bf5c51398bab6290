// SPDX-License-Identifier: Apache-2.0
package org.nios2s.sockets;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;

/**
 * Can hold back what is written until its output ends, to have all leave in one go: what TLS says last, and that it ends.
 * For one thread.
 */
public final class OneGoSocket extends Socket {
    private static final int MOST_HELD_BYTES = 64 * 1024;

    private boolean holdsBack;
    private OutputStream out;

    /** From now on nothing leaves before the output ends. */
    public void holdBack() {
        holdsBack = true;
    }

    /** What is written leaves when it is flushed, as TLS does after each record. */
    @Override
    public OutputStream getOutputStream() throws IOException {
        if (out == null) {
            out = new BufferedOutputStream(super.getOutputStream(), MOST_HELD_BYTES) {
                @Override
                public synchronized void flush() throws IOException {
                    if (!holdsBack) {
                        super.flush();
                    }
                }
            };
        }
        return out;
    }

    @Override
    public void shutdownOutput() throws IOException {
        holdsBack = false;
        getOutputStream().flush();
        super.shutdownOutput();
    }
}
