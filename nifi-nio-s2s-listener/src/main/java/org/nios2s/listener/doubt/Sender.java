// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.nios2s.listener.limits.PeerKey;

/**
 * Who sent packets to which port: half of the SHA-256 of both, so that it has a fixed length in a file. Immutable; any thread.
 *
 * <p>No peer can take the place of another one, whatever identity it is given.
 */
record Sender(long hash1, long hash2) {
    /** @param port its identifier */
    static Sender of(final String port, final PeerKey peer) {
        try {
            final MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(port.getBytes(StandardCharsets.UTF_8));
            // No identifier contains it.
            digest.update((byte) 0);
            final ByteBuffer hash = ByteBuffer.wrap(digest.digest(peer.name().getBytes(StandardCharsets.UTF_8)));
            return new Sender(hash.getLong(), hash.getLong());
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256", e);
        }
    }
}
