// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness;

import java.io.IOException;
import java.util.function.Function;

/**
 * A failure whose message says who failed, with what, and what to do; the command line prints it without a stack trace.
 * Thrown on any thread.
 */
public class HarnessException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Work that an {@link IOException} may end. */
    @FunctionalInterface
    public interface Work<T> {
        T outcome() throws IOException;
    }

    /** Work without an outcome. */
    @FunctionalInterface
    public interface Action {
        void run() throws IOException;
    }

    public HarnessException(final String message) {
        super(message);
    }

    public HarnessException(final String message, final Throwable cause) {
        super(message, cause);
    }

    /** The outcome of work; an exception that ends it becomes words for the user. */
    public static <T> T attempt(final Function<IOException, String> words, final Work<T> work) {
        try {
            return work.outcome();
        } catch (final IOException e) {
            throw new HarnessException(words.apply(e), e);
        }
    }

    /** The same of work without an outcome. */
    public static void attempt(final Function<IOException, String> words, final Action work) {
        attempt(words, () -> {
            work.run();
            return null;
        });
    }

    /** For a thread that was told to end during something, as "waiting for jcmd"; it is told again. */
    public static HarnessException interrupted(final String during, final InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new HarnessException("Interrupted while " + during, cause);
    }
}
