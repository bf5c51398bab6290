// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The bytes of a publisher as a stream. One thread reads, and may block; the publisher's threads write. It is asked
 * for one buffer at a time.
 */
final class PublisherInputStream extends InputStream implements Flow.Subscriber<ByteBuffer> {
    private static final int BYTE_MASK = 0xFF;

    /** A signal of the publisher: bytes, its end, or its failure. */
    private record Signal(ByteBuffer bytes, Throwable failure) {}

    private final LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    private volatile Flow.Subscription subscription;
    private volatile boolean closed;
    /** These two belong to the thread that reads. */
    private ByteBuffer current = ByteBuffer.allocate(0);

    private Signal last;

    private PublisherInputStream() {}

    static PublisherInputStream of(final Flow.Publisher<ByteBuffer> publisher) {
        final PublisherInputStream content = new PublisherInputStream();
        publisher.subscribe(content);
        return content;
    }

    @Override
    public void onSubscribe(final Flow.Subscription given) {
        if (subscription != null || closed) {
            given.cancel();
            return;
        }
        subscription = given;
        given.request(1);
    }

    @Override
    public void onNext(final ByteBuffer bytes) {
        signals.add(new Signal(bytes, null));
    }

    @Override
    public void onError(final Throwable failure) {
        signals.add(new Signal(null, failure));
    }

    @Override
    public void onComplete() {
        signals.add(new Signal(null, null));
    }

    @Override
    public int read() throws IOException {
        return fill() ? current.get() & BYTE_MASK : -1;
    }

    @Override
    public int read(final byte[] target, final int offset, final int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        final int read = Math.min(length, current.remaining());
        current.get(target, offset, read);
        return read;
    }

    /** @return whether there is a byte to read */
    private boolean fill() throws IOException {
        while (!current.hasRemaining() && last == null) {
            final Signal signal = await();
            if (signal.bytes() == null) {
                last = signal;
            } else {
                current = signal.bytes();
                subscription.request(1);
            }
        }
        if (current.hasRemaining()) {
            return true;
        }
        if (last.failure() != null) {
            throw new IOException("its publisher failed: " + last.failure(), last.failure());
        }
        return false;
    }

    private Signal await() throws IOException {
        try {
            return signals.take();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            final InterruptedIOException interrupted = new InterruptedIOException("interrupted");
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    @Override
    public void close() {
        closed = true;
        final Flow.Subscription subscribed = subscription;
        if (subscribed != null) {
            subscribed.cancel();
        }
    }
}
