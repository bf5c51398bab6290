// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.buffer.ByteBuf;

/**
 * TLS begins behind a PROXY header: the connection gets its TLS, and the bytes behind the header go through it. Lives on the
 * connection's IO worker.
 *
 * @param next the first step within TLS
 */
public record BeginTlsStep(Step next) implements Step {
    /** Takes nothing: these bytes are for TLS. */
    @Override
    public Step receive(final ByteBuf in) {
        return this;
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.HANDSHAKE;
    }
}
