// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.internal.call.CallRegistry;
import org.nios2s.client.internal.transaction.Engine;

/**
 * What the ports of a client share. Immutable; any thread.
 *
 * @param completion where futures complete
 * @param shutdownTimeout how long closing waits
 * @param opened is told of each sender: its records fail when the client is closed
 */
record ClientContext(
        Engine engine,
        CallRegistry calls,
        Executor completion,
        ClientObserver observer,
        Duration shutdownTimeout,
        Consumer<DefaultBatchingSender> opened) {}
