// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.plan.Fault;
import org.nios2s.harness.target.ManagedTarget;
import org.nios2s.harness.target.MeasuredTarget;
import org.nios2s.harness.target.SuspendedProcess;

/**
 * Does to a server in mid-run what an experiment asks for, on a thread of its own; begun and awaited on the command's
 * thread.
 */
final class FaultInjector {

    private final Fault fault;
    private final ManagedTarget target;
    private final Consumer<String> progress;
    private final CountDownLatch loadEnded = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "fault");
    private RuntimeException failure;

    private FaultInjector(final Fault fault, final ManagedTarget target, final Consumer<String> progress) {
        this.fault = fault;
        this.target = target;
        this.progress = progress;
        thread.setDaemon(true);
    }

    /** Begins to wait for the fault's moment. */
    static FaultInjector start(final Fault fault, final MeasuredTarget target, final Consumer<String> progress) {
        if (!(target instanceof final ManagedTarget managed)) {
            throw new HarnessException("A fault needs a NiFi that the harness started");
        }
        final FaultInjector injector = new FaultInjector(fault, managed, progress);
        injector.thread.start();
        return injector;
    }

    /** The load has ended; waits until the server is as it was before. */
    void loadEnded() {
        loadEnded.countDown();
        try {
            thread.join();
        } catch (final InterruptedException e) {
            throw HarnessException.interrupted("waiting for the end of a fault", e);
        }
    }

    /** Throws what went wrong with the fault itself. */
    void requireDone() {
        if (failure != null) {
            throw failure;
        }
    }

    private void run() {
        try {
            if (!endsWithin(fault.at())) {
                progress.accept(
                        "fault: " + fault.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'));
                inject();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final RuntimeException e) {
            failure = e;
        }
    }

    private void inject() throws InterruptedException {
        switch (fault.kind()) {
            case RESTART -> target.restart(true);
            case KILL -> target.restart(false);
            case SUSPEND -> {
                final SuspendedProcess suspended =
                        SuspendedProcess.pause(target.target().process());
                try {
                    endsWithin(fault.time());
                } finally {
                    suspended.close();
                }
            }
            case STOP_PORT -> {
                target.setPortRunning(false);
                endsWithin(fault.time());
                target.setPortRunning(true);
            }
            default -> throw new IllegalStateException("there is no way to " + fault.kind());
        }
    }

    /** Whether the load ends before a time has passed. */
    private boolean endsWithin(final Duration time) throws InterruptedException {
        return loadEnded.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }
}
