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

    private final CompletableFuture<Optional<String>> answer = new CompletableFuture<>();
    private WireConversation conversation;

    private WireProbe() {}

    /** Asks: empty when a transaction could begin, else why not. */
    public static Optional<String> ask(final TargetAddress target, final SslContext tls, final Duration timeout)
            throws InterruptedException {
        final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("wire-probe", true), NioIoHandler.newFactory());
        try {
            final WireProbe probe = new WireProbe();
            probe.connect(group, target, tls, timeout);
            return probe.answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (final TimeoutException e) {
            return Optional.of("no answer within " + timeout.toSeconds() + " s");
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
                answer.complete(Optional.of(FailureCause.of("connecting", done.cause())));
            }
        });
    }

    @Override
    public void onReady() {
        conversation.shutDown();
        answer.complete(Optional.empty());
    }

    @Override
    public void onSent() {
        throw new IllegalStateException("a probe sends nothing");
    }

    @Override
    public void onConfirmed() {
        throw new IllegalStateException("a probe sends nothing");
    }

    @Override
    public void onFinished(final boolean destinationFull) {
        throw new IllegalStateException("a probe sends nothing");
    }

    @Override
    public void onFailure(final String cause) {
        answer.complete(Optional.of(cause));
    }
}
