// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import io.netty.handler.ssl.SslHandler;
import java.security.cert.X509Certificate;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.nios2s.client.Direction;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Packet;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.connection.Attempt;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.ClientConnection;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.Failures;

/**
 * A transaction that another thread drives step by step. Lives on the connection's IO worker;
 * {@link #push} and {@link #pull} come from any thread.
 */
public final class InteractiveAttempt extends Attempt {
    private final Direction direction;
    private final CompletableFuture<Boolean> started = new CompletableFuture<>();

    /** These three are published by {@link #started}. */
    private ClientConnection connection;

    private PushExchange push;
    private PullExchange pull;

    private final Object handlerLock = new Object();
    /** These two are guarded by the lock, so that a thread that has returned is not interrupted. */
    private Thread handler;

    private boolean failed;

    InteractiveAttempt(final Endpoint port, final Direction direction, final CallOptions options) {
        super(port, options);
        this.direction = direction;
    }

    /** @return completed when packets can be sent, or when it is known whether there are packets to receive */
    public CompletableFuture<Boolean> started() {
        return started;
    }

    /** @return why it failed, or null if it did not; waits for the moment that the IO worker may need to say so */
    public TransactionException failure() {
        return result().handle((done, failure) -> known(failure)).join();
    }

    private TransactionException known(final Throwable failure) {
        if (failure == null || failure instanceof TransactionException) {
            return (TransactionException) failure;
        }
        if (failure instanceof CancellationException) {
            return port().failure(
                            TransactionStep.RECEIVE_PACKETS,
                            FailureReason.CANCELLED,
                            "The caller gave the transaction up",
                            failure);
        }
        return port().failure(
                        TransactionStep.RECEIVE_PACKETS,
                        FailureReason.INTERNAL_ERROR,
                        String.valueOf(failure),
                        failure);
    }

    /** @param thread is interrupted when the transaction fails; null when nobody handles the packets any more */
    void handledBy(final Thread thread) {
        synchronized (handlerLock) {
            handler = thread;
            if (thread != null && failed) {
                thread.interrupt();
            }
        }
    }

    @Override
    public boolean isHandledBy(final Thread thread) {
        synchronized (handlerLock) {
            return handler == thread;
        }
    }

    /** Both ends compare checksums. */
    public CompletableFuture<Void> confirmPull() {
        return pull(exchange -> {
            transferred();
            return exchange.confirm().thenRun(this::confirmed);
        });
    }

    /** The peer is told that it may forget the packets; then the connection is free. */
    public CompletableFuture<Void> completePull() {
        return pull(exchange -> exchange.complete().thenRun(() -> finish(exchange.packets(), exchange.bytes(), false)));
    }

    /** @return by which name the peer's log knows the connection; there is one when it has started */
    String commsId() {
        return connection.commsId();
    }

    public PacketQueue queue() {
        return pull.queue();
    }

    /** @return bytes of content that left for the peer so far, to see whether it takes any */
    public long bytesWritten() {
        return push == null ? 0 : push.bytesWritten();
    }

    /** @return what the peer shows, or null without TLS */
    public X509Certificate peerCertificate() {
        final SslHandler tls = connection.channel().pipeline().get(SslHandler.class);
        if (tls == null) {
            return null;
        }
        try {
            return (X509Certificate) tls.engine().getSession().getPeerCertificates()[0];
        } catch (final SSLPeerUnverifiedException e) {
            return null;
        }
    }

    @Override
    protected void run(final ClientConnection taken) {
        connection = taken;
        if (direction == Direction.SEND) {
            // As NiFi's client, which gives its packets no identifiers.
            push = new PushExchange(taken, Packet::attributes, this::fail);
            push.begin();
            started.complete(true);
        } else {
            pull = new PullExchange(taken, this::fail);
            pull.begin();
            pull.available().whenComplete((available, failure) -> {
                if (failure == null) {
                    if (!available) {
                        finish(0, 0, false);
                    }
                    started.complete(available);
                }
            });
        }
    }

    /** Says something of a push, on the IO worker. */
    public <T> CompletableFuture<T> push(final Function<PushExchange, CompletableFuture<T>> operation) {
        return execute(push, operation);
    }

    /** Says something of a pull, on the IO worker. */
    public <T> CompletableFuture<T> pull(final Function<PullExchange, CompletableFuture<T>> operation) {
        return execute(pull, operation);
    }

    private <C, T> CompletableFuture<T> execute(final C exchange, final Function<C, CompletableFuture<T>> operation) {
        final CompletableFuture<T> done = new CompletableFuture<>();
        try {
            connection.execute(() -> {
                try {
                    operation.apply(exchange).whenComplete((answer, failure) -> {
                        if (failure == null) {
                            done.complete(answer);
                        } else {
                            done.completeExceptionally(Failures.causeOf(failure));
                        }
                    });
                } catch (final RuntimeException | Error e) {
                    done.completeExceptionally(e);
                }
            });
        } catch (final RejectedExecutionException e) {
            // The engine is closed; what ended with it knows in which step.
            done.completeExceptionally(result().isCompletedExceptionally() ? failure() : e);
        }
        return done;
    }

    /** All has been done: the connection is free. On the IO worker. */
    public void finish(final long packets, final long bytes, final boolean destinationFull) {
        succeed(packets, bytes, destinationFull);
    }

    @Override
    protected void onFailure(final TransactionException failure) {
        started.completeExceptionally(failure);
        synchronized (handlerLock) {
            failed = true;
            if (handler != null) {
                handler.interrupt();
            }
        }
    }

    @Override
    protected void abandon(final TransactionException failure) {
        if (push != null) {
            push.abandon(failure);
        } else {
            pull.abandon(failure);
        }
        fail(failure);
    }
}
