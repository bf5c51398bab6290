// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import org.nios2s.harness.HarnessException;

/**
 * A run that broke because its server ended; it holds what was measured until then. Thrown on the command's thread.
 */
public final class BrokenRunException extends HarnessException {

    private static final long serialVersionUID = 1L;

    private final transient Measured measured;

    public BrokenRunException(final String message, final Measured measured) {
        super(message);
        this.measured = measured;
    }

    public Measured measured() {
        return measured;
    }
}
