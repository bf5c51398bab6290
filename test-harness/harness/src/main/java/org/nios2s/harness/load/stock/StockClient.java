// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.stock;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransactionCompletion;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;
import org.nios2s.harness.load.ClientTally;
import org.nios2s.harness.load.FailureCause;
import org.nios2s.harness.load.LoadMeter;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.LoadSettings.Direction;
import org.nios2s.harness.load.PacketFactory;
import org.nios2s.harness.load.RunPlan;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.TransactionTimes;

/**
 * One logical client on NiFi's own client: does its transactions one after the other. Lives on a thread of its own;
 * only {@link #stop} and the constructor run elsewhere.
 */
final class StockClient implements Runnable {

    /** A penalized peer would let the following transactions fail at once: one failure would count for many. */
    private static final long PENALIZATION_MILLIS = 1;

    private static final long RECONNECT_PAUSE_MILLIS = 100;

    private final int client;
    private final Setting setting;
    private final LoadMeter meter;
    private final ClientTally tally;
    private final TransactionTimes times = new TransactionTimes();
    private volatile boolean stopped;

    /**
     * What all clients of a run have in common. Immutable.
     *
     * @param run     name of the run
     * @param load    what to send
     * @param target  where to
     * @param plan    when
     * @param packets what is sent
     * @param tls     what to trust and who to be, or null for plain TCP
     */
    record Setting(
            String run, LoadSettings load, TargetAddress target, RunPlan plan, PacketFactory packets, SSLContext tls) {}

    /** A client that has not begun. */
    StockClient(final int client, final Setting setting, final LoadMeter meter) {
        this.client = client;
        this.setting = setting;
        this.meter = meter;
        this.tally = new ClientTally(client, meter);
    }

    /** Makes the client end after the transaction in flight; the caller interrupts its thread. */
    void stop() {
        stopped = true;
    }

    ClientTally tally() {
        return tally;
    }

    @Override
    public void run() {
        try {
            sleepUntil(setting.plan().clientStart(client));
            tally.begin();
            try (SiteToSiteClient siteToSite = build()) {
                work(siteToSite);
            }
        } catch (final InterruptedException e) {
            // The run was stopped: this thread has nothing else to end than itself.
            stopped = true;
        } catch (final IOException | RuntimeException e) {
            tally.failed(FailureCause.of("opening or closing the client", e));
        } finally {
            tally.end();
        }
    }

    private SiteToSiteClient build() {
        return new SiteToSiteClient.Builder()
                .url(setting.target().api().toString())
                .sslContext(setting.tls())
                .portIdentifier(setting.target().portId())
                .transportProtocol(SiteToSiteTransportProtocol.RAW)
                .useCompression(setting.load().shape().gzip())
                .requestBatchCount(setting.load().packets())
                .timeout(setting.load().timeout().toMillis(), TimeUnit.MILLISECONDS)
                .nodePenalizationPeriod(PENALIZATION_MILLIS, TimeUnit.MILLISECONDS)
                .build();
    }

    private void work(final SiteToSiteClient siteToSite) throws InterruptedException {
        for (int transaction = 0; !stopped; transaction++) {
            final long now = System.nanoTime();
            final long intended = setting.plan().intendedStart(client, transaction, now);
            if (!setting.plan().includes(transaction, intended, now)) {
                setting.plan().neverBegun(client, transaction, meter);
                return;
            }
            sleepUntil(intended);
            meter.began(System.nanoTime() - Math.max(intended, now));
            times.start(intended);
            try {
                transact(siteToSite, transaction);
            } catch (final IOException | RuntimeException e) {
                if (stopped) {
                    meter.abandoned();
                    return;
                }
                tally.failed(FailureCause.of("with NiFi's client", e));
            }
        }
    }

    private void transact(final SiteToSiteClient siteToSite, final int number)
            throws IOException, InterruptedException {
        final boolean push = setting.load().shape().direction() == Direction.PUSH;
        final Transaction transaction =
                siteToSite.createTransaction(push ? TransferDirection.SEND : TransferDirection.RECEIVE);
        if (transaction == null) {
            TimeUnit.MILLISECONDS.sleep(RECONNECT_PAUSE_MILLIS);
            throw new IOException("no peer available");
        }
        try {
            times.created();
            final long bytes = push ? send(transaction, number) : receive(transaction);
            times.sent();
            transaction.confirm();
            times.confirmed();
            final TransactionCompletion completion = transaction.complete();
            times.completed();
            tally.succeeded(number, times, completion.isBackoff(), bytes);
        } catch (final IOException | RuntimeException e) {
            transaction.error();
            throw e;
        }
    }

    private long send(final Transaction transaction, final int number) throws IOException {
        final PacketFactory factory = setting.packets();
        for (int packet = 0; packet < factory.packets(); packet++) {
            transaction.send(factory.content(client, number, packet), factory.attributes(client, number, packet));
        }
        return factory.bytes(client, number);
    }

    private static long receive(final Transaction transaction) throws IOException {
        long bytes = 0;
        for (DataPacket packet = transaction.receive(); packet != null; packet = transaction.receive()) {
            packet.getData().skipNBytes(packet.getSize());
            bytes += packet.getSize();
        }
        return bytes;
    }

    private static void sleepUntil(final long nanos) throws InterruptedException {
        final long wait = nanos - System.nanoTime();
        if (wait > 0) {
            TimeUnit.NANOSECONDS.sleep(wait);
        }
    }
}
