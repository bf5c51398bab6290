// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.nifi;

import org.nios2s.client.internal.transaction.Engine;

/** The engine of all clients that bring none: opened with the first, closed with the last. Any thread. */
final class SharedEngine {
    static final SharedEngine INSTANCE = new SharedEngine();

    private Engine engine;
    private int users;

    private SharedEngine() {}

    synchronized Engine acquire() {
        if (users == 0) {
            engine = new Engine();
        }
        users++;
        return engine;
    }

    void release() {
        final Engine unused;
        synchronized (this) {
            users--;
            unused = users == 0 ? engine : null;
        }
        if (unused != null) {
            unused.close();
        }
    }
}
