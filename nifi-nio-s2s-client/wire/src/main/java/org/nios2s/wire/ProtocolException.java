// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import java.io.IOException;

/** Bytes that are not RAW Site-to-Site, or do not belong where they arrived. Immutable; any thread. */
public class ProtocolException extends IOException {
    private static final long serialVersionUID = 1;

    public ProtocolException(final String message) {
        super(message);
    }

    public ProtocolException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
