// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

/**
 * Drives the load of one run, once. {@link #drive} occupies the caller's thread until the run has ended; the other
 * methods may be called on any thread meanwhile.
 */
public interface LoadGenerator {

    /** Runs all clients to their end: what they did. */
    LoadOutcome drive() throws InterruptedException;

    /** Ends the run early: transactions in flight are given up and every connection is closed. */
    void stop();

    LoadRecorder recorder();
}
