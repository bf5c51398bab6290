// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.stock;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransactionCompletion;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;
import org.nios2s.harness.load.ClientTally;
import org.nios2s.harness.load.FailureCause;
import org.nios2s.harness.load.LoadMeter;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.PacketId;
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
     * @param content what each packet holds
     * @param tls     what to trust and who to be, or null for plain TCP
     */
    record Setting(String run, LoadSettings load, TargetAddress target, RunPlan plan, byte[] content, SSLContext tls) {}

    /**
     * A client that has not begun.
     *
     * @param client  its number, from 0
     * @param setting what it has in common with the others
     * @param meter   counts and times of the run
     */
    StockClient(final int client, final Setting setting, final LoadMeter meter) {
        this.client = client;
        this.setting = setting;
        this.meter = meter;
        this.tally = new ClientTally(client);
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
            tally.failed();
            meter.failed(FailureCause.of("opening or closing the client", e));
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
                .timeout(setting.load().timeout().toMillis(), TimeUnit.MILLISECONDS)
                .nodePenalizationPeriod(PENALIZATION_MILLIS, TimeUnit.MILLISECONDS)
                .build();
    }

    private void work(final SiteToSiteClient siteToSite) throws InterruptedException {
        for (int transaction = 0; !stopped; transaction++) {
            final long now = System.nanoTime();
            final long intended = setting.plan().intendedStart(client, transaction, now);
            if (!setting.plan().includes(transaction, intended, now)) {
                return;
            }
            sleepUntil(intended);
            times.start(intended);
            try {
                transact(siteToSite, transaction);
            } catch (final IOException | RuntimeException e) {
                if (stopped) {
                    meter.abandoned();
                    return;
                }
                tally.failed();
                meter.failed(FailureCause.of("with NiFi's client", e));
            }
        }
    }

    private void transact(final SiteToSiteClient siteToSite, final int number)
            throws IOException, InterruptedException {
        final Transaction transaction = siteToSite.createTransaction(TransferDirection.SEND);
        if (transaction == null) {
            TimeUnit.MILLISECONDS.sleep(RECONNECT_PAUSE_MILLIS);
            throw new IOException("no peer available");
        }
        try {
            times.created();
            for (int packet = 0; packet < setting.load().packets(); packet++) {
                final String id = new PacketId(setting.run(), client, number, packet).toString();
                transaction.send(setting.content(), Map.of(PacketId.ATTRIBUTE, id));
            }
            times.sent();
            transaction.confirm();
            times.confirmed();
            final TransactionCompletion completion = transaction.complete();
            times.completed();
            tally.succeeded(number, times);
            meter.succeeded(times, completion.isBackoff());
        } catch (final IOException | RuntimeException e) {
            transaction.error();
            throw e;
        }
    }

    private static void sleepUntil(final long nanos) throws InterruptedException {
        final long wait = nanos - System.nanoTime();
        if (wait > 0) {
            TimeUnit.NANOSECONDS.sleep(wait);
        }
    }
}
