// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.site;

import java.io.IOException;

/** The REST API answered, and not with what was asked for. Immutable; any thread. */
final class RestException extends IOException {
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int UNKNOWN_TO_PROXY = 407;

    private final int status;

    RestException(final String message, final int status) {
        super(message);
        this.status = status;
    }

    /** @return whether NiFi does not know us or does not let us see this, or a proxy does not let us through to it */
    boolean isUnauthorized() {
        return isUnauthorized(status);
    }

    static boolean isUnauthorized(final int status) {
        return status == UNAUTHORIZED || status == FORBIDDEN || isOfProxy(status);
    }

    static boolean isOfProxy(final int status) {
        return status == UNKNOWN_TO_PROXY;
    }
}
