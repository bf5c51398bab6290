// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.nios2s.harness.load.FailureCause;
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

    /** Asks: empty when a transaction could begin, else why not. */
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
        final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("wire-probe", true), NioIoHandler.newFactory());
        try {
            connect(group, target, tls, timeout);
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (final TimeoutException e) {
            return new Answer("no answer within " + timeout.toSeconds() + " s", List.of());
        } catch (final ExecutionException e) {
            throw new IllegalStateException("a probe never completes exceptionally", e);
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    private void connect(
            final EventLoopGroup group, final TargetAddress target, final SslContext tls, final Duration timeout) {
        conversation = new WireConversation(target, timeout, this);
        final ChannelFuture connected = new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .handler(new WirePipeline(target, tls, target.port(), timeout, conversation))
                .connect(target.socket());
        connected.addListener(done -> {
            if (!done.isSuccess()) {
                onFailure(FailureCause.of("connecting", done.cause()));
            }
        });
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
