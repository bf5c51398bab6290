// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness;

/**
 * A failure whose message says who failed, with what, and what to do; the command line prints it without a stack trace.
 * Thrown on any thread.
 */
public class HarnessException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Makes a failure from a message for the user. */
    public HarnessException(final String message) {
        super(message);
    }

    /** Makes a failure from a message for the user and what led to it. */
    public HarnessException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
