// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import org.nios2s.harness.HarnessException;

/** NiFi's web address did not answer, or not with what was asked for. Thrown on the thread that asked. */
public final class NoAnswerException extends HarnessException {

    private static final long serialVersionUID = 1L;

    NoAnswerException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
