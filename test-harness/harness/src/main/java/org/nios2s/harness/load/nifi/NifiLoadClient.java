// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.nifi;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransactionCompletion;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;
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
 * NiFi's own client, one object for each logical client. Lives on a thread of its own; only {@link #close} may be called
 * elsewhere.
 */
public final class NifiLoadClient implements LoadClient {

    /** A penalized peer would let the following transactions fail at once: one failure would count for many. */
    private static final long PENALIZATION_MILLIS = 1;

    private static final String WITH = "with NiFi's client";
    private static final long STACK_BYTES = 256 * 1024;

    private final int client;
    private final LoadSettings load;
    private final PacketFactory packets;
    private final SiteToSiteClient.Builder builder;
    private final ScheduledExecutorService pacer;
    private volatile Thread thread;
    private SiteToSiteClient siteToSite;

    private NifiLoadClient(
            final int client,
            final LoadSettings load,
            final PacketFactory packets,
            final SiteToSiteClient.Builder builder) {
        this.client = client;
        this.load = load;
        this.packets = packets;
        this.builder = builder;
        this.pacer = Executors.newSingleThreadScheduledExecutor(work -> {
            thread = new Thread(null, work, "stock-client-" + client, STACK_BYTES);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** The transactors of a run; without TLS for plain TCP. */
    public static Factory transport(
            final String run, final LoadSettings load, final TargetAddress target, final SSLContext tls) {
        if (target.api() == null) {
            throw new IllegalArgumentException("NiFi's own client asks the web address of NiFi for the Site-to-Site"
                    + " socket: give it with --api, or use --client wire");
        }
        final PacketFactory packets = new PacketFactory(run, load.shape());
        return client -> new NifiLoadClient(
                client,
                load,
                packets,
                new SiteToSiteClient.Builder()
                        .url(target.api().toString())
                        .sslContext(tls)
                        .portIdentifier(target.portId())
                        .transportProtocol(SiteToSiteTransportProtocol.RAW)
                        .useCompression(load.shape().gzip())
                        .requestBatchCount(load.shape().packets())
                        .timeout(load.timeout().toMillis(), TimeUnit.MILLISECONDS)
                        .nodePenalizationPeriod(PENALIZATION_MILLIS, TimeUnit.MILLISECONDS));
    }

    @Override
    public ScheduledExecutorService pacer() {
        return pacer;
    }

    @Override
    public void begin(final int number, final TransactionTimes times, final Listener listener) {
        try {
            if (siteToSite == null) {
                siteToSite = builder.build();
            }
            final boolean push = load.shape().direction() == Direction.PUSH;
            final Transaction transaction =
                    siteToSite.createTransaction(push ? TransferDirection.SEND : TransferDirection.RECEIVE);
            if (transaction == null) {
                listener.failed(FailureCause.of(WITH, "no peer available"), true);
            } else {
                transact(transaction, number, times, listener);
            }
        } catch (final IOException | RuntimeException e) {
            listener.failed(FailureCause.of(WITH, e), false);
        }
    }

    private void transact(
            final Transaction transaction, final int number, final TransactionTimes times, final Listener listener)
            throws IOException {
        final TransactionCompletion completion;
        final Transferred moved;
        try {
            times.ended(Phase.CREATE);
            moved = load.shape().direction() == Direction.PUSH ? send(transaction, number) : receive(transaction);
            times.ended(Phase.SEND);
            transaction.confirm();
            times.ended(Phase.CONFIRM);
            completion = transaction.complete();
            times.ended(Phase.COMPLETE);
        } catch (final IOException | RuntimeException e) {
            transaction.error();
            throw e;
        }
        if (completion.getDataPacketsTransferred() == 0) {
            listener.empty();
        } else {
            listener.finished(completion.isBackoff(), moved);
        }
    }

    private Transferred send(final Transaction transaction, final int number) throws IOException {
        for (int packet = 0; packet < packets.shape().packets(); packet++) {
            transaction.send(packets.content(client, number, packet), packets.attributes(client, number, packet));
        }
        return Transferred.sent(packets.shape().packets(), packets.bytes(client, number));
    }

    private static Transferred receive(final Transaction transaction) throws IOException {
        final List<Parcel> parcels = new ArrayList<>();
        for (DataPacket packet = transaction.receive(); packet != null; packet = transaction.receive()) {
            parcels.add(Parcel.read(packet.getAttributes(), 0, packet.getData()));
        }
        return Transferred.received(parcels);
    }

    /** One that waits for the server may not be woken: it closes when its time-out is over, and nobody waits for that. */
    @Override
    public void close() {
        final Thread busy = thread;
        pacer.execute(this::closeClient);
        if (busy != null && busy != Thread.currentThread()) {
            busy.interrupt();
        }
    }

    private void closeClient() {
        pacer.shutdownNow();
        try {
            if (siteToSite != null) {
                siteToSite.close();
            }
        } catch (final IOException e) {
            // The run is over for this client; what it did is counted already.
        }
    }
}
