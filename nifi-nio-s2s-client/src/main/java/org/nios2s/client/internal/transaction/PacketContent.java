// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The content of a packet, as attempts read it: whether it can be had again, and what becomes of a stream that is not sent. Any
 * thread.
 */
public final class PacketContent {
    /** Opens the content when it is sent. */
    public interface Source {
        InputStream open() throws IOException;
    }

    private static final Logger logger = LoggerFactory.getLogger(PacketContent.class);

    /** Set by the packets' class, whose users see nothing of this one. */
    private static volatile Function<Object, PacketContent> reader;

    private final Source source;
    /** The stream that can be read once; null for what can be had again. */
    private final InputStream once;

    private final AtomicBoolean taken = new AtomicBoolean();

    private PacketContent(final Source source, final InputStream once) {
        this.source = source;
        this.once = once;
    }

    /** @param source opens the content from its beginning, at every attempt */
    public static PacketContent repeatable(final Source source) {
        return new PacketContent(source, null);
    }

    public static PacketContent once(final InputStream stream) {
        return new PacketContent(() -> stream, stream);
    }

    /** @param read finds the content of a packet */
    public static void readBy(final Function<Object, PacketContent> read) {
        reader = read;
    }

    public static PacketContent of(final Object packet) {
        return reader.apply(packet);
    }

    /** @return whether more bytes behind the declared length are a fault; not for a stream, which may go on */
    public boolean endsWithItsSource() {
        return once == null;
    }

    /** Opens the content for one attempt; the caller closes it. */
    public InputStream open() throws IOException {
        if (taken.getAndSet(true) && once != null) {
            throw new IOException("its stream was read already, and can be read once");
        }
        return source.open();
    }

    /** @return false for a stream that was begun */
    public boolean isRepeatable() {
        return once == null || !taken.get();
    }

    /** It will not be sent any more: closes a stream whose turn never came. May block. */
    public void discard() {
        if (once != null && !taken.getAndSet(true)) {
            try {
                once.close();
            } catch (final Exception | Error e) {
                logger.debug("A stream that was not sent can't be closed", e);
            }
        }
    }
}
