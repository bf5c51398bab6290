// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.engine.LoadRun.Measured;
import org.nios2s.harness.load.LoadGenerator;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.result.RunResult.Place;

/**
 * A load that runs beside another one, on a thread of its own, and ends with it. Begun, stopped and awaited on the command's
 * thread.
 */
final class Companion {

    private final CompletableFuture<Measured> measured = new CompletableFuture<>();
    private LoadGenerator generator;
    private boolean stopped;

    private Companion() {}

    /** Begins a load. */
    static Companion start(final Cell cell, final Place place, final LoadRun run) {
        final Companion companion = new Companion();
        final Thread thread = new Thread(() -> companion.run(cell, place, run), "beside-" + cell.row());
        thread.setDaemon(true);
        thread.start();
        return companion;
    }

    private void run(final Cell cell, final Place place, final LoadRun run) {
        try {
            measured.complete(run.beside(this::began).run(place, cell.settings().load(), null));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            measured.completeExceptionally(e);
        } catch (final RuntimeException | Error e) {
            measured.completeExceptionally(e);
        }
    }

    private synchronized void began(final LoadGenerator running) {
        generator = running;
        if (stopped) {
            running.stop();
        }
    }

    /** Ends the load. */
    synchronized void stop() {
        stopped = true;
        if (generator != null) {
            generator.stop();
        }
    }

    /** Waits until it has ended, and says what was measured. */
    Measured await() throws InterruptedException {
        try {
            return measured.get();
        } catch (final ExecutionException | CompletionException e) {
            if (e.getCause() instanceof final HarnessException known) {
                throw known;
            }
            throw new HarnessException("A load beside another broke: " + e.getCause(), e);
        }
    }
}
