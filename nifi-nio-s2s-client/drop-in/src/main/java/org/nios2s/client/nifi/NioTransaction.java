// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.nifi;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.nifi.remote.ClientTransactionCompletion;
import org.apache.nifi.remote.Communicant;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransactionCompletion;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.util.StandardDataPacket;
import org.apache.nifi.security.cert.StandardPrincipalFormatter;
import org.nios2s.client.Direction;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Packet;
import org.nios2s.client.ReceivedPacket;
import org.nios2s.client.TransactionException;
import org.nios2s.client.internal.call.ClusterPeerSelector;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.Failures;
import org.nios2s.client.internal.transaction.Engine;
import org.nios2s.client.internal.transaction.InteractiveAttempt;
import org.nios2s.client.internal.transaction.PushExchange;

/**
 * A transaction with the states and rules of NiFi's {@link Transaction}. Belongs to one thread at a time, which it blocks
 * while the IO worker speaks.
 */
final class NioTransaction implements Transaction {
    private static final String NO_EXPLANATION = "<No explanation given>";

    private final InteractiveAttempt attempt;
    private final ClusterPeerSelector cluster;
    private final Endpoint port;
    private final TransferDirection direction;
    private final long timeoutMillis;
    private final long startedNanos = System.nanoTime();

    private TransactionState state = TransactionState.TRANSACTION_STARTED;
    private boolean dataAvailable;
    private int packets;
    private long bytes;

    private NioTransaction(
            final InteractiveAttempt attempt,
            final ClusterPeerSelector cluster,
            final Endpoint port,
            final TransferDirection direction,
            final long timeoutMillis) {
        this.attempt = attempt;
        this.cluster = cluster;
        this.port = port;
        this.direction = direction;
        this.timeoutMillis = timeoutMillis;
    }

    /** Blocks until a connection is there and, to receive, until it is known whether there is something. */
    static NioTransaction begin(
            final Engine engine,
            final ClusterPeerSelector cluster,
            final SiteToSiteClientConfig config,
            final Endpoint port,
            final TransferDirection direction)
            throws IOException {
        final NioTransaction transaction = new NioTransaction(
                engine.interact(port, Direction.valueOf(direction.name()), CallOptions.UNWATCHED),
                cluster,
                port,
                direction,
                config.getTimeout(TimeUnit.MILLISECONDS));
        transaction.dataAvailable =
                transaction.await(transaction.attempt.started(), () -> 0L) && direction == TransferDirection.RECEIVE;
        return transaction;
    }

    /** Counts that grow while the transaction advances. */
    private interface Progress {
        long sofar();
    }

    /** Waits while there is progress, as a socket with a read timeout does. */
    private <T> T await(final CompletableFuture<T> future, final Progress progress) throws IOException {
        long before = progress.sofar();
        while (true) {
            try {
                return future.get(timeoutMillis, TimeUnit.MILLISECONDS);
            } catch (final TimeoutException e) {
                final long now = progress.sofar();
                if (now == before) {
                    attempt.stop(FailureReason.DEADLINE_EXCEEDED, "No progress for " + timeoutMillis + " ms");
                }
                before = now;
            } catch (final ExecutionException e) {
                if (e.getCause() instanceof TransactionException failure) {
                    throw failure;
                }
                throw new IOException(e.getCause());
            } catch (final InterruptedException e) {
                attempt.stop(FailureReason.CANCELLED, "The caller was interrupted");
                throw Failures.interrupted("waiting for " + port.peer(), e);
            }
        }
    }

    @Override
    public void send(final byte[] content, final Map<String, String> attributes) throws IOException {
        send(Packet.of(attributes, content));
    }

    @Override
    public void send(final DataPacket dataPacket) throws IOException {
        final InputStream left = new FilterInputStream(dataPacket.getData()) {
            @Override
            public void close() {
                // The stream stays the caller's, as with NiFi's client.
            }
        };
        send(Packet.ofStream(dataPacket.getAttributes(), left, dataPacket.getSize()));
    }

    private void send(final Packet packet) throws IOException {
        try {
            requireExchange("send data to");
            requireDirection(TransferDirection.SEND, "Attempting to send data to ");
            await(attempt.push(exchange -> exchange.send(packet)), attempt::bytesWritten);
            packets++;
            bytes += packet.size();
            state = TransactionState.DATA_EXCHANGED;
        } catch (final IOException e) {
            error();
            throw new IOException("Failed to send data to " + port.peer() + " due to " + e, e);
        } catch (final RuntimeException e) {
            error();
            throw e;
        }
    }

    private void requireExchange(final String what) {
        if (state != TransactionState.DATA_EXCHANGED && state != TransactionState.TRANSACTION_STARTED) {
            throw new IllegalStateException(
                    "Cannot " + what + " " + port.peer() + " because Transaction State is " + state);
        }
    }

    private void requireDirection(final TransferDirection wanted, final String what) {
        if (direction != wanted) {
            throw new IllegalStateException(what + port.peer() + " but started a " + direction + " Transaction");
        }
    }

    @Override
    public DataPacket receive() throws IOException {
        try {
            requireExchange("receive data from");
            requireDirection(TransferDirection.RECEIVE, "Attempting to receive data from ");
            final ReceivedPacket packet = dataAvailable ? attempt.queue().next(timeoutMillis) : null;
            if (packet == null) {
                dataAvailable = false;
                return null;
            }
            packets++;
            bytes += packet.size();
            state = TransactionState.DATA_EXCHANGED;
            return new StandardDataPacket(packet.attributes(), packet.content(), packet.size());
        } catch (final IOException e) {
            error();
            throw new IOException("Failed to receive data from " + port.peer() + " due to " + e, e);
        } catch (final RuntimeException e) {
            error();
            throw e;
        }
    }

    @Override
    public void confirm() throws IOException {
        try {
            if (state == TransactionState.TRANSACTION_STARTED
                    && !dataAvailable
                    && direction == TransferDirection.RECEIVE) {
                state = TransactionState.TRANSACTION_CONFIRMED;
                return;
            }
            if (state != TransactionState.DATA_EXCHANGED) {
                throw new IllegalStateException("Cannot confirm Transaction because state is " + state
                        + "; Transaction can only be confirmed when state is " + TransactionState.DATA_EXCHANGED);
            }
            if (dataAvailable) {
                throw new IllegalStateException(
                        "Cannot complete transaction because the sender has already sent more data than client has"
                                + " consumed.");
            }
            await(
                    direction == TransferDirection.SEND ? attempt.push(PushExchange::confirm) : attempt.confirmPull(),
                    attempt::bytesWritten);
            state = TransactionState.TRANSACTION_CONFIRMED;
        } catch (final IOException e) {
            error();
            throw new IOException("Failed to confirm transaction with " + port.peer() + " due to " + e, e);
        } catch (final RuntimeException e) {
            error();
            throw e;
        }
    }

    @Override
    public TransactionCompletion complete() throws IOException {
        try {
            if (state != TransactionState.TRANSACTION_CONFIRMED) {
                throw new IllegalStateException("Cannot complete transaction with " + port.peer()
                        + " because state is " + state + "; Transaction can only be completed when state is "
                        + TransactionState.TRANSACTION_CONFIRMED);
            }
            final boolean reconnectBackoff = direction == TransferDirection.SEND ? completePush() : completePull();
            state = TransactionState.TRANSACTION_COMPLETED;
            return new ClientTransactionCompletion(reconnectBackoff, packets, bytes, System.nanoTime() - startedNanos);
        } catch (final IOException e) {
            error();
            throw new IOException("Failed to complete transaction with " + port.peer() + " due to " + e, e);
        } catch (final RuntimeException e) {
            error();
            throw e;
        }
    }

    private boolean completePush() throws IOException {
        final boolean full = await(
                attempt.push(exchange -> exchange.complete().thenApply(destinationFull -> {
                    attempt.finish(packets, bytes, destinationFull);
                    return destinationFull;
                })),
                () -> 0L);
        if (full) {
            cluster.full(port);
        }
        return full;
    }

    private boolean completePull() throws IOException {
        if (packets > 0) {
            await(attempt.completePull(), () -> 0L);
        }
        return false;
    }

    @Override
    public void cancel(final String explanation) throws IOException {
        if (state == TransactionState.TRANSACTION_CANCELED
                || state == TransactionState.TRANSACTION_COMPLETED
                || state == TransactionState.ERROR) {
            throw new IllegalStateException("Cannot cancel transaction because state is already " + state);
        }
        state = TransactionState.TRANSACTION_CANCELED;
        attempt.stop(FailureReason.CANCELLED, explanation == null ? NO_EXPLANATION : explanation);
    }

    @Override
    public void error() {
        state = TransactionState.ERROR;
        attempt.stop(FailureReason.CANCELLED, "The transaction failed, or its user says that it did");
    }

    @Override
    public TransactionState getState() {
        return state;
    }

    @Override
    public Communicant getCommunicant() {
        final X509Certificate shown = attempt.peerCertificate();
        return new PeerCommunicant(
                port,
                shown == null ? null : StandardPrincipalFormatter.getInstance().getSubject(shown));
    }

    @Override
    public String toString() {
        return "NioTransaction[Url=" + port.url() + ", TransferDirection=" + direction + ", State=" + state + "]";
    }
}
