// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

/** The meaning of the command's exit codes. Immutable; any thread. */
enum Outcome {
    /** All was transferred. */
    DONE(0),
    /** A transaction failed, and NiFi has the state of before; or a node failed that may have more FlowFiles. */
    FAILED(1),
    /** The arguments are wrong, or a file that they name. */
    MISTAKE(2),
    /** A connection was lost at a moment that leaves open whether the transaction is complete. */
    UNKNOWN(3);

    private final int exitCode;

    Outcome(final int exitCode) {
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
