// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.handler.ssl.SslContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.load.TargetAddress;

/**
 * Asks a target whether a transaction could begin there: connects, shakes hands, agrees on the codec, takes leave. The
 * caller waits; the conversation lives on an event loop of its own.
 */
public final class WireProbe implements WireConversation.Listener {

    private final CompletableFuture<Answer> answer = new CompletableFuture<>();
    private final boolean forPeers;
    private WireConversation conversation;

    private record Answer(String refusal, List<TargetAddress> peers) {}

    private WireProbe(final boolean forPeers) {
        this.forPeers = forPeers;
    }

    /** Asks: empty when a transaction could begin, otherwise the reason. */
    public static Optional<String> ask(final TargetAddress target, final SslContext tls, final Duration timeout)
            throws InterruptedException {
        return Optional.ofNullable(
                new WireProbe(false).run(target, tls, timeout).refusal());
    }

    /** The nodes of a target's cluster; the target alone when it has no cluster or does not say. */
    public static List<TargetAddress> nodes(final TargetAddress target, final SslContext tls, final Duration timeout)
            throws InterruptedException {
        final List<TargetAddress> peers =
                new WireProbe(true).run(target, tls, timeout).peers();
        return peers.size() > 1 ? peers : List.of(target);
    }

    private Answer run(final TargetAddress target, final SslContext tls, final Duration timeout)
            throws InterruptedException {
        try (WireConnector connector = new WireConnector("wire-probe", 1, tls, timeout)) {
            conversation = new WireConversation(target, timeout, Shape.push(1, 0), this);
            connector.connect(target.port(), connector.next(), conversation);
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (final TimeoutException e) {
            return new Answer("no answer within " + timeout.toSeconds() + " s", List.of());
        } catch (final ExecutionException e) {
            throw new IllegalStateException("a probe never completes exceptionally", e);
        }
    }

    @Override
    public void onReady() {
        if (forPeers) {
            conversation.askForPeers();
        } else {
            onPeers(List.of());
        }
    }

    @Override
    public void onPeers(final List<TargetAddress> peers) {
        conversation.shutDown();
        answer.complete(new Answer(null, peers));
    }

    @Override
    public void onFailure(final String cause) {
        answer.complete(new Answer(cause, List.of()));
    }
}
