// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.nio;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import javax.net.ssl.SSLContext;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.InputPort;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.OutputPort;
import org.nios2s.client.Packet;
import org.nios2s.client.ReceivedPacket;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionTimings;
import org.nios2s.harness.load.FailureCause;
import org.nios2s.harness.load.LoadClient;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.LoadSettings.Direction;
import org.nios2s.harness.load.PacketFactory;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.TransactionTimes;
import org.nios2s.harness.load.Transferred;
import org.nios2s.harness.sink.Parcel;

/**
 * The client of this project: one {@link SiteToSite} lends the connections of its pool to all logical clients. One thread
 * begins what has its time, all else happens on the connector's IO workers.
 */
public final class NioLoadClients implements LoadClient.Factory {

    private final PacketFactory packets;
    private final SiteToSite nifi;
    private final InputPort input;
    private final OutputPort output;
    private final ScheduledExecutorService pacer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("nio-client-pacer").daemon().factory());

    /** The transactors of a run; without TLS for plain TCP. */
    public NioLoadClients(final String run, final LoadSettings load, final TargetAddress target, final SSLContext tls) {
        final boolean push = load.shape().direction() == Direction.PUSH;
        this.packets = new PacketFactory(run, load.shape());
        this.nifi = site(load, target, tls);
        this.input = push ? nifi.inputPort(target.portId()) : null;
        this.output = push ? null : nifi.outputPort(target.portId());
    }

    /** Unless it is told otherwise as many connections as clients, so that none ever waits for another's. */
    private static SiteToSite site(final LoadSettings load, final TargetAddress target, final SSLContext tls) {
        final int most = load.connection().max();
        final SiteToSite.Builder builder = NioSiteToSite.builder()
                .address(target.host(), target.port())
                .maxConnections(most == 0 ? load.clients() : Math.min(most, load.clients()))
                .maxPending(load.clients())
                .connectTimeout(load.timeout())
                .idleTimeout(load.timeout())
                .deadline(load.timeout())
                .compress(load.shape().gzip())
                .batchLimits(BatchLimits.none().withMaxPackets(load.shape().packets()))
                .retry(RetryPolicy.never())
                .shutdownTimeout(Duration.ZERO)
                .completionExecutor(Runnable::run);
        return tls == null ? builder.build() : builder.tls(tls).build();
    }

    @Override
    public LoadClient of(final int client) {
        return new NioLoadClient(client);
    }

    @Override
    public void close() {
        nifi.close();
        pacer.shutdownNow();
    }

    /** One logical client's; begins on the pacer's thread or on the IO worker that ended its last transaction. */
    private final class NioLoadClient implements LoadClient {

        private final int client;
        private volatile CompletableFuture<TransactionResult> inFlight;
        private volatile boolean closed;

        NioLoadClient(final int client) {
            this.client = client;
        }

        @Override
        public ScheduledExecutorService pacer() {
            return pacer;
        }

        @Override
        public Executor onward() {
            return Runnable::run;
        }

        @Override
        public void begin(final int transaction, final TransactionTimes times, final Listener listener) {
            final long begun = System.nanoTime();
            final List<Parcel> received = new ArrayList<>();
            final CompletableFuture<TransactionResult> begins = transact(transaction, received);
            inFlight = begins;
            begins.whenComplete((result, failure) -> {
                if (failure != null) {
                    listener.failed(cause(failure), false);
                } else if (result.packets() == 0) {
                    listener.empty();
                } else {
                    final TransactionTimings past = result.timings();
                    times.ended(Phase.CREATE, begun + past.connected().toNanos());
                    times.ended(Phase.SEND, begun + past.transferred().toNanos());
                    times.ended(Phase.CONFIRM, begun + past.confirmed().toNanos());
                    times.ended(Phase.COMPLETE, begun + result.duration().toNanos());
                    listener.finished(
                            result.destinationFull(), new Transferred(result.packets(), result.bytes(), received));
                }
            });
            if (closed) {
                begins.cancel(false);
            }
        }

        private CompletableFuture<TransactionResult> transact(final int transaction, final List<Parcel> received) {
            if (output != null) {
                return output.pull(batch -> {
                    for (final ReceivedPacket packet : batch) {
                        received.add(Parcel.read(packet.attributes(), 0, packet.content()));
                    }
                });
            }
            final List<Packet> sent = new ArrayList<>(packets.shape().packets());
            for (int packet = 0; packet < packets.shape().packets(); packet++) {
                sent.add(Packet.of(
                        packets.attributes(client, transaction, packet), packets.content(client, transaction, packet)));
            }
            return input.send(sent);
        }

        private static String cause(final Throwable failure) {
            return failure instanceof final TransactionException known
                    ? FailureCause.of("in step " + known.step(), known.reason().toString())
                    : FailureCause.of("with the NIO client", failure);
        }

        @Override
        public void close() {
            closed = true;
            final CompletableFuture<TransactionResult> given = inFlight;
            if (given != null) {
                given.cancel(false);
            }
        }
    }
}
