// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import org.nios2s.harness.HarnessException;

/** An answer of NiFi's REST API other than success. Thrown on the thread that asked. */
public final class RestException extends HarnessException {

    private static final long serialVersionUID = 1L;

    private final int status;

    RestException(final String request, final int status, final String body) {
        super("NiFi answered %s with %d: %s".formatted(request, status, body));
        this.status = status;
    }

    public int status() {
        return status;
    }
}
