// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.nios2s.harness.load.LoadClient;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.LoadSettings.Direction;
import org.nios2s.harness.load.PacketId;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.TransactionTimes;
import org.nios2s.harness.load.Transferred;
import org.nios2s.harness.sink.PacketPattern;

/**
 * The light client: thousands of logical clients on a few event loops, each with a connection of its own, which it makes
 * again after a failure or, if the load says so, for every transaction. Each client lives on one of the event loops.
 */
public final class WireLoadClients implements LoadClient.Factory {

    /** Half of the processors, since the server is often on the same machine, and two at least; one serves thousands. */
    private static final int EVENT_LOOPS = Math.max(2, Runtime.getRuntime().availableProcessors() / 2);

    private final String run;
    private final LoadSettings load;
    private final List<TargetAddress> targets;
    private final TransactionWriter writer;
    private final WireConnector connector;

    /** As the other one, with TCP_NODELAY. */
    public WireLoadClients(
            final String run,
            final LoadSettings load,
            final List<TargetAddress> targets,
            final SslContext tls,
            final boolean large) {
        this(run, load, targets, tls, large, true);
    }

    /**
     * The transactors of a run on the nodes of a cluster, or on one target; without TLS for plain TCP.
     *
     * @param large      whether transactions have one packet, whose content is made while it is sent
     * @param tcpNoDelay whether sockets have TCP_NODELAY; those of NiFi's client and of MiNiFi have not
     */
    public WireLoadClients(
            final String run,
            final LoadSettings load,
            final List<TargetAddress> targets,
            final SslContext tls,
            final boolean large,
            final boolean tcpNoDelay) {
        this(
                run,
                load,
                targets,
                large ? null : new TransactionWriter(run, load.shape()),
                new WireConnector("wire-client", EVENT_LOOPS, tls, load.timeout(), tcpNoDelay));
    }

    private WireLoadClients(
            final String run,
            final LoadSettings load,
            final List<TargetAddress> targets,
            final TransactionWriter writer,
            final WireConnector connector) {
        this.run = run;
        this.load = load;
        this.targets = List.copyOf(targets);
        this.writer = writer;
        this.connector = connector;
    }

    /** Peers that write as MiNiFi C++ does: each field alone, over sockets without TCP_NODELAY. */
    public static WireLoadClients asMinifi(
            final String run, final LoadSettings load, final List<TargetAddress> targets, final SslContext tls) {
        return new WireLoadClients(
                run,
                load,
                targets,
                TransactionWriter.byField(run, load.shape()),
                new WireConnector("minifi-client", EVENT_LOOPS, tls, load.timeout(), false));
    }

    @Override
    public LoadClient of(final int client) {
        return new WireLoadClient(client, connector.next());
    }

    @Override
    public List<EventLoop> loops() {
        return connector.loops();
    }

    @Override
    public void close() {
        connector.close();
    }

    /** One logical client's. Lives on one event loop; only {@link #close} is called elsewhere. */
    private final class WireLoadClient implements LoadClient, WireConversation.Listener {

        private final int client;
        private final EventLoop eventLoop;
        private WireConversation conversation;
        private LargeContent content;
        private int transaction;
        private TransactionTimes times;
        private Listener listener;

        WireLoadClient(final int client, final EventLoop eventLoop) {
            this.client = client;
            this.eventLoop = eventLoop;
        }

        @Override
        public ScheduledExecutorService pacer() {
            return eventLoop;
        }

        @Override
        public void begin(final int number, final TransactionTimes moments, final Listener told) {
            transaction = number;
            times = moments;
            listener = told;
            if (conversation != null && conversation.isReady()) {
                onReady();
            } else {
                final TargetAddress target = targets.get(client % targets.size());
                conversation = new WireConversation(target, load.timeout(), load.shape(), this);
                connector.connect(client, eventLoop, conversation);
            }
        }

        @Override
        public void onReady() {
            times.ended(Phase.CREATE);
            if (load.shape().direction() == Direction.PULL) {
                conversation.receive();
            } else if (writer != null) {
                conversation.send(writer, client, transaction);
            } else {
                final long size = load.shape().size().largest();
                final String id = new PacketId(run, client, transaction, 0).toString();
                content = new LargeContent(id, size);
                conversation.beginPacket(PacketPattern.attributes(id, 0, 0), size);
                onWritable();
            }
        }

        @Override
        public void onWritable() {
            while (conversation.isWritable() && content.hasNext()) {
                conversation.sendPiece(content.next());
            }
            if (conversation.isSending() && !content.hasNext()) {
                conversation.finish();
            }
        }

        @Override
        public void onSent() {
            times.ended(Phase.SEND);
        }

        @Override
        public void onConfirmed() {
            times.ended(Phase.CONFIRM);
        }

        @Override
        public void onNothing() {
            listener.empty();
        }

        @Override
        public void onFinished(final boolean destinationFull) {
            times.ended(Phase.COMPLETE);
            final Transferred moved = load.shape().direction() == Direction.PULL
                    ? Transferred.received(conversation.received().parcels())
                    : Transferred.sent(load.shape().packets(), sentBytes());
            if (load.connection().reconnect()) {
                conversation.shutDown();
                conversation = null;
            }
            listener.finished(destinationFull, moved);
        }

        private long sentBytes() {
            return writer == null
                    ? load.shape().size().largest()
                    : writer.packets().bytes(client, transaction);
        }

        @Override
        public void onNotConnected(final String cause) {
            conversation = null;
            listener.failed(cause, true);
        }

        /** Between two transactions it is only an idle connection that ended; then nobody listens. */
        @Override
        public void onFailure(final String cause) {
            conversation = null;
            listener.failed(cause, false);
        }

        @Override
        public void close() {
            if (!eventLoop.inEventLoop()) {
                eventLoop.execute(this::close);
            } else if (conversation != null) {
                conversation.shutDown();
            }
        }
    }
}
