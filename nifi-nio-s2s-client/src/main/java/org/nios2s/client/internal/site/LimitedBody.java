// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.site;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** Gathers the bytes of one HTTP answer, and fails if there are too many. Lives on the HTTP client's threads. */
final class LimitedBody implements BodySubscriber<byte[]> {
    private final int mostBytes;
    private final ByteArrayOutputStream gathered = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private Flow.Subscription subscription;

    LimitedBody(final int mostBytes) {
        this.mostBytes = mostBytes;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(final Flow.Subscription given) {
        subscription = given;
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(final List<ByteBuffer> pieces) {
        for (final ByteBuffer piece : pieces) {
            if (piece.remaining() > mostBytes - gathered.size()) {
                subscription.cancel();
                body.completeExceptionally(new IOException("it answers with more than " + mostBytes + " bytes"));
                return;
            }
            final byte[] bytes = new byte[piece.remaining()];
            piece.get(bytes);
            gathered.writeBytes(bytes);
        }
    }

    @Override
    public void onError(final Throwable failure) {
        body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        body.complete(gathered.toByteArray());
    }
}
