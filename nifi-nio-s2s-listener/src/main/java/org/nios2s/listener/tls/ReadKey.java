// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

/**
 * The key of TLS 1.3 with which a peer reads what BoringSSL sends, and how long it will last. Lives on the connection's IO worker.
 *
 * <p>A Java peer renews it after so many bytes ({@code jdk.tls.keyLimits}). It asks with each record that it reads, until it comes
 * to our answer, which is behind all that was sent before. BoringSSL ends a connection whose peer asks 33 times without
 * sending data, and more records than that may be on their way. So a pull pauses when it has used the key up.
 */
public final class ReadKey {
    /** Java's own, for all ciphers. */
    public static final long DEFAULT_LIMIT_BYTES = 1L << 37;

    private static final Runnable NOTHING = () -> {};

    private final long limitBytes;
    private long usedBytes;
    private Runnable next = NOTHING;

    /** @param limitBytes after which the peer renews it */
    ReadKey(final long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Of a peer that does not renew it, or may ask as often as it likes. */
    public static ReadKey unlimited() {
        return new ReadKey(Long.MAX_VALUE);
    }

    /** So many bytes are encrypted, in records that have a byte for their type, too. */
    public void encrypts(final int bytes) {
        usedBytes += bytes + Math.ceilDiv(bytes, TlsHandlerFactory.RECORD_BYTES);
    }

    /** @return whether the peer asks for another one when it has read what was sent */
    public boolean isUsedUp() {
        return usedBytes > limitBytes;
    }

    /** @param action to be run when the peer has asked; one at a time */
    public void whenRenewed(final Runnable action) {
        next = action;
    }

    /** The peer has sent something, or is not waited for any more: our answer is in front of what is sent next. */
    public void renewed() {
        if (!isUsedUp()) {
            return;
        }
        usedBytes = 0;
        final Runnable action = next;
        next = NOTHING;
        action.run();
    }
}
