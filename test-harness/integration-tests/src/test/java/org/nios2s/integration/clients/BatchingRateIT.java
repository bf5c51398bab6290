// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.InputPort;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.Packet;
import org.nios2s.client.RecordFraming;
import org.nios2s.client.RecordSender;
import org.nios2s.client.SiteToSite;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.nifi.SinkLedger;
import org.nios2s.harness.sink.PacketPattern;
import org.nios2s.harness.sink.Parcel;
import org.nios2s.integration.SharedNifi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The same records to the same NiFi: joined to FlowFiles, through a batching sender, with NiFi's client and batches made by hand, in one
 * loop or in as many as the sender has transactions at a time, and in a transaction each. Each record arrives once; the log says rates
 * and processor time. The test's thread gives the records, but for NiFi's client, which has a thread per transaction. Joined records
 * differ, and each FlowFile of them is held against the records that belong into it.
 *
 * <p>Everything runs once to get warm, then in this order, then in the other one. {@code -Drate.records=1000000
 * -Drate.joined=10000000 -Drate.single=100000} measures; then leak detection has to be off, see {@code docs/results/client.md}.
 */
@Tag("full")
class BatchingRateIT {
    private static final Logger logger = LoggerFactory.getLogger(BatchingRateIT.class);

    private static final int RECORDS = Integer.getInteger("rate.records", 5_000);
    private static final int JOINED_RECORDS = Integer.getInteger("rate.joined", 50_000);
    private static final int SINGLE_RECORDS = Integer.getInteger("rate.single", 1_000);
    private static final int WARM_UP_PART = 5;
    private static final byte[] CONTENT = new byte[100];
    private static final Map<String, String> ATTRIBUTES = Map.of("filename", "reading");
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    /** As the batching sender has them. */
    private static final int BATCH = 500;

    private static final int TRANSACTIONS = 4;
    private static final int MAX_PENDING = 2_000;
    private static final String JOINED = "records joined to FlowFiles, one thread, 4 transactions at a time";
    private static final int RADIX = 10;
    private static final double NANOS_OF_A_MICROSECOND = 1_000;

    private static NifiNode nifi;

    @BeforeAll
    static void start() {
        nifi = NifiNode.start(new NifiOptions()
                .home(SharedNifi.HOMES.resolve("batching-rate"))
                .listener(Listener.NIO)
                .heap("1g")
                .fresh(true)
                .stopOnExit(true));
    }

    @AfterAll
    static void stop() {
        if (nifi != null) {
            nifi.close();
        }
    }

    /** Sends so many records and returns when all are acknowledged. */
    @FunctionalInterface
    private interface Way {
        void send(int records) throws Exception;
    }

    /**
     * One of the loads that are compared.
     *
     * @param name for the log
     * @param records that it sends
     * @param way how
     */
    private record Load(String name, int records, Way way) {
        /** A newline is behind each record that is joined. */
        long bytes(final int of) {
            return (long) of * (isJoined() ? CONTENT.length + 1 : CONTENT.length);
        }

        boolean isJoined() {
            return JOINED.equals(name);
        }
    }

    @Test
    void everyRecordArrivesWhicheverWayItIsSent() throws Exception {
        try (SiteToSite site = NioSiteToSite.builder()
                .address(nifi.info().s2sHost(), nifi.info().s2sPort())
                .build()) {
            final InputPort port = site.inputPort(nifi.portId("input"));
            final List<Load> loads = List.of(
                    new Load(JOINED, JOINED_RECORDS, records -> joined(port, records)),
                    new Load(
                            "batching sender, one thread, " + TRANSACTIONS + " transactions at a time",
                            RECORDS,
                            records -> batching(port, records)),
                    new Load("NiFi's client, batches by hand, one loop", RECORDS, records -> byHand(records, 1)),
                    new Load(
                            "NiFi's client, batches by hand, " + TRANSACTIONS + " loops",
                            RECORDS,
                            records -> byHand(records, TRANSACTIONS)),
                    new Load("a transaction per record", SINGLE_RECORDS, records -> single(port, records)));
            for (final Load load : loads) {
                arrive(load, load.records() / WARM_UP_PART);
            }
            for (final Load load : loads) {
                measure("first order", load);
            }
            for (final Load load : loads.reversed()) {
                measure("other order", load);
            }
        }
    }

    private static void measure(final String order, final Load load) throws Exception {
        final int records = load.records();
        final Path parcels = load.isJoined() ? nifi.keepParcels("joined-" + order.charAt(0)) : null;
        final Duration nifiBefore = nifi.usage().cpu();
        final long ownBefore = ownNanos();
        final long nanos = arrive(load, records);
        logger.info(
                "{}, {}: {} records of {} bytes, {} records/s; processor time per record: client {} us, NiFi {} us",
                order,
                load.name(),
                records,
                CONTENT.length,
                Math.round(records / (nanos / (double) Duration.ofSeconds(1).toNanos())),
                perRecord(ownNanos() - ownBefore, records),
                perRecord(nifi.usage().cpu().minus(nifiBefore).toNanos(), records));
        if (parcels != null) {
            nifi.dropParcels();
            assertEachRecordIn(Files.readAllLines(parcels), records);
        }
    }

    /** The FlowFiles are the records without a gap, cut into pieces: each piece is found by its length and its checksum. */
    private static void assertEachRecordIn(final List<String> parcels, final int records) {
        final Map<Long, List<Integer>> checksums = new HashMap<>();
        for (final String line : parcels) {
            final Parcel parcel = Parcel.parse(line);
            checksums
                    .computeIfAbsent(parcel.bytes(), bytes -> new ArrayList<>())
                    .add(parcel.content());
        }
        final CRC32C sum = new CRC32C();
        long bytes = 0;
        for (int i = 0; i < records; i++) {
            sum.update(record(i));
            sum.update('\n');
            bytes += CONTENT.length + 1;
            final List<Integer> ofThatLength = checksums.get(bytes);
            if (ofThatLength != null && ofThatLength.remove((Object) (int) sum.getValue())) {
                sum.reset();
                bytes = 0;
            }
        }
        assertEquals(0, bytes, "the last records are in no FlowFile");
        assertTrue(checksums.values().stream().allMatch(List::isEmpty), "a FlowFile has other records");
    }

    /** Of the same length as those that are not joined. */
    private static byte[] record(final int number) {
        final byte[] record = CONTENT.clone();
        for (int at = 0, left = number; left > 0; at++, left /= RADIX) {
            record[at] = (byte) ('0' + left % RADIX);
        }
        return record;
    }

    private static void joined(final InputPort port, final int records) throws Exception {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        try (RecordSender sender = port.joining(RecordFraming.lines(), Map.of(PacketPattern.ID, "joined"))) {
            for (int i = 0; i < records; i++) {
                sender.send(record(i)).whenComplete((done, failed) -> keep(failure, failed));
            }
        }
        failOn(failure);
    }

    private static String perRecord(final long nanos, final int records) {
        return "%.1f".formatted(nanos / NANOS_OF_A_MICROSECOND / records);
    }

    /** @return the processor time of this JVM */
    private static long ownNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    /** @return how long it took until all were acknowledged; they are in the ledger when this returns */
    private static long arrive(final Load load, final int records) throws Exception {
        final SinkLedger before = nifi.ledger();
        final long began = System.nanoTime();
        load.way().send(records);
        final long nanos = System.nanoTime() - began;
        Awaitility.await().atMost(PATIENCE).until(() -> {
            final SinkLedger arrived = nifi.ledger().since(before);
            return arrived.bytes() == load.bytes(records) && (load.isJoined() || arrived.count() == records);
        });
        return nanos;
    }

    private static void batching(final InputPort port, final int records) throws Exception {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        try (BatchingSender sender = port.batching(BATCH, Duration.ofMillis(50))) {
            for (int i = 0; i < records; i++) {
                sender.send(Packet.of(ATTRIBUTES, CONTENT)).whenComplete((done, failed) -> keep(failure, failed));
            }
        }
        failOn(failure);
    }

    private static void single(final InputPort port, final int records) throws Exception {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Semaphore pending = new Semaphore(MAX_PENDING);
        for (int i = 0; i < records; i++) {
            pending.acquire();
            port.send(Packet.of(ATTRIBUTES, CONTENT)).whenComplete((done, failed) -> {
                keep(failure, failed);
                pending.release();
            });
        }
        pending.acquire(MAX_PENDING);
        failOn(failure);
    }

    private static void byHand(final int records, final int loops) throws Exception {
        try (SiteToSiteClient client = new SiteToSiteClient.Builder()
                        .url(nifi.info().api().replace("/nifi-api", "/nifi"))
                        .portName("input")
                        .build();
                ExecutorService threads = Executors.newFixedThreadPool(loops)) {
            final List<Future<?>> senders = new ArrayList<>();
            for (int sender = 0; sender < loops; sender++) {
                final int own = records / loops + (sender < records % loops ? 1 : 0);
                senders.add(threads.submit(() -> {
                    for (int left = own; left > 0; left -= BATCH) {
                        pushByHand(client, Math.min(left, BATCH));
                    }
                    return null;
                }));
            }
            for (final Future<?> sender : senders) {
                sender.get();
            }
        }
    }

    private static void pushByHand(final SiteToSiteClient client, final int records) throws Exception {
        final Transaction transaction = client.createTransaction(TransferDirection.SEND);
        for (int i = 0; i < records; i++) {
            transaction.send(CONTENT, ATTRIBUTES);
        }
        transaction.confirm();
        transaction.complete();
    }

    private static void keep(final AtomicReference<Throwable> failure, final Throwable failed) {
        if (failed != null) {
            failure.set(failed);
        }
    }

    private static void failOn(final AtomicReference<Throwable> failure) {
        if (failure.get() != null) {
            throw new AssertionError("A record failed", failure.get());
        }
    }
}
