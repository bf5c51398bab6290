// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Carries out the transactions of one logical client, one at a time, by one of the clients that there are. Begins them on
 * its pacer's thread; the listener is told on whichever thread a transaction ends.
 */
public interface LoadClient extends AutoCloseable {

    /** Hears how a transaction ends: exactly one of these. */
    interface Listener {

        /** The server acknowledged it; a pull may have had fewer FlowFiles than it asked for. */
        void finished(boolean destinationFull, Transferred moved);

        /** The output port has nothing at this moment; the same transaction may be begun again. */
        void empty();

        /** It failed, for a cause in words that are the same for the same cause; nobody was there at all, perhaps. */
        void failed(String cause, boolean nobodyThere);
    }

    /** All transactors of a run. Opened and closed on the thread that drives the run. */
    @FunctionalInterface
    interface Factory extends AutoCloseable {

        LoadClient of(int client);

        /** The threads that read what the server answers, where they are event loops; none where each client has its own. */
        default List<? extends ScheduledExecutorService> loops() {
            return List.of();
        }

        @Override
        default void close() {}
    }

    /** Starts what has its time. */
    ScheduledExecutorService pacer();

    /** Where a transaction begins whose time has come when the last one ends. */
    default Executor onward() {
        return pacer();
    }

    /** Begins a transaction and notes its moments. */
    void begin(int transaction, TransactionTimes times, Listener listener);

    /** Gives up what is in flight and lets go of the connection, on any thread. */
    @Override
    void close();
}
