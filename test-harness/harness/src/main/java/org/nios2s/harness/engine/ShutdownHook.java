// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.load.LoadGenerator;

/**
 * Lets Ctrl-C end a command in order: the load stops, the command keeps what was measured and stops what it started, then
 * this JVM ends. Created and closed on the command's thread; the rest happens on the JVM's shutdown thread.
 */
public final class ShutdownHook implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 60;

    private final CountDownLatch commandEnded = new CountDownLatch(1);
    private final Set<LoadGenerator> generators = ConcurrentHashMap.newKeySet();
    private final Thread hook = new Thread(this::endInOrder, "end-in-order");
    private volatile boolean interrupted;

    private ShutdownHook() {}

    /** From now on Ctrl-C ends this command in order: to be closed at the command's end. */
    public static ShutdownHook install() {
        final ShutdownHook interruption = new ShutdownHook();
        Runtime.getRuntime().addShutdownHook(interruption.hook);
        return interruption;
    }

    /** Whether the command is to end: true after Ctrl-C. */
    public boolean interrupted() {
        return interrupted;
    }

    /** A load that is to be stopped. */
    void during(final LoadGenerator running) {
        generators.add(running);
        if (interrupted) {
            running.stop();
        }
    }

    /** A load that has ended. */
    void ended(final LoadGenerator running) {
        generators.remove(running);
    }

    @Override
    public void close() {
        commandEnded.countDown();
        if (!interrupted) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (final IllegalStateException e) {
                // The JVM has begun to end at this very moment; the hook finds the command ended.
                interrupted = true;
            }
        }
    }

    private void endInOrder() {
        interrupted = true;
        if (commandEnded.getCount() > 0) {
            // On the terminal at once, since what follows may take a minute.
            System.err.println("s2s-harness: interrupted, ending in order ...");
        }
        generators.forEach(LoadGenerator::stop);
        try {
            if (!commandEnded.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("s2s-harness: did not end within " + PATIENCE_SECONDS + " s after the interruption");
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
