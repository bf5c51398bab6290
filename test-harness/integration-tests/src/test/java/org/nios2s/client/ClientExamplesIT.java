// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.jar.JarFile;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.nios2s.client.examples.CheckpointedSink;
import org.nios2s.client.examples.JoinedReadings;
import org.nios2s.client.examples.PullToFiles;
import org.nios2s.client.examples.PushDirectory;
import org.nios2s.client.examples.ReceiveToFiles;
import org.nios2s.client.examples.SendFile;
import org.nios2s.client.examples.SensorRecords;
import org.nios2s.client.examples.TenThousandSensors;
import org.nios2s.client.examples.TwoPhaseRelay;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.SinkLedger;
import org.nios2s.integration.SharedNifi;

/** The programs of the client's documentation, with a real NiFi. Runs on the thread of the tests against the shared NiFi. */
@ResourceLock(SharedNifi.Lock.NIO)
class ClientExamplesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int RECORDS = 100_000;
    /** NiFi appends their FlowFile to a file of its repository; where the disk is rather full, a larger one waits for an archive. */
    private static final int JOINED_RECORDS = 1_000;

    private static final int SENSORS = 1_000;
    private static final String ID = "packet.id";

    private static NifiNode nifi;

    private SiteToSite site;
    private SinkLedger before;

    @BeforeAll
    static void startNifi() {
        nifi = SharedNifi.NIO.withEmptyLoop();
    }

    @BeforeEach
    void start() throws Exception {
        site = NioSiteToSite.builder().url(url()).build();
        before = nifi.ledger();
    }

    @AfterEach
    void stop() {
        site.close();
    }

    private static String url() {
        return nifi.info().api().replace("/nifi-api", "/nifi");
    }

    private void awaitInLedger(final long packets) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> nifi.ledger().since(before).count() == packets);
    }

    @Test
    void aFileIsSent(@TempDir final Path directory) throws Exception {
        SendFile.main(new String[] {
            url(), "input", Files.writeString(directory.resolve("a"), "content").toString()
        });
        awaitInLedger(1);
    }

    @Test
    void theFilesOfADirectoryAreSent(@TempDir final Path directory) throws Exception {
        for (int i = 0; i < 20; i++) {
            Files.writeString(directory.resolve("file-" + i), "content");
        }
        PushDirectory.main(new String[] {
            nifi.info().s2sHost(), "" + nifi.info().s2sPort(), nifi.portId("input"), directory.toString()
        });
        awaitInLedger(20);
    }

    @Test
    void recordsAreSentInBatches() throws Exception {
        SensorRecords.main(new String[] {url(), "input", "" + RECORDS});
        awaitInLedger(RECORDS);
    }

    @Test
    void recordsAreJoinedToFlowFiles() throws Exception {
        drain();
        JoinedReadings.main(new String[] {url(), "loop-in", "" + JOINED_RECORDS});
        final List<String> records = new ArrayList<>();
        final BatchHandler eachRecord = batch -> {
            for (final ReceivedPacket flowFile : batch) {
                final List<String> lines = new String(flowFile.bytes(), StandardCharsets.UTF_8)
                        .lines()
                        .toList();
                assertEquals("" + lines.size(), flowFile.attributes().get("record.count"));
                assertEquals("application/x-ndjson", flowFile.attributes().get("mime.type"));
                assertEquals("readings.json", flowFile.attributes().get("filename"));
                records.addAll(lines);
            }
        };
        Awaitility.await().atMost(PATIENCE).until(() -> {
            site.outputPort("loop-out").pull(eachRecord).get();
            return records.size() >= JOINED_RECORDS;
        });
        assertEquals(
                IntStream.range(0, JOINED_RECORDS)
                        .mapToObj(i -> "{\"sensor\":" + i + ",\"celsius\":21.5}")
                        .sorted()
                        .toList(),
                records.stream().sorted().toList());
    }

    @Test
    void whatIsGivenTwiceIsOneFile(@TempDir final Path directory) throws Exception {
        final List<Packet> packets = packets();
        try (BatchReceiver receiver = ReceiveToFiles.start(site.outputPort("loop-out"), ID, directory)) {
            site.inputPort("loop-in").send(packets).get();
            site.inputPort("loop-in").send(packets).get();
            Awaitility.await().atMost(PATIENCE).until(() -> names(directory).equals(ids()));
            site.inputPort("loop-in").send(packets).get();
            assertFalse(receiver.whenEnded().isDone());
        }
        assertEquals(ids(), names(directory));
        drain();
    }

    @Test
    void allThatIsThereIsPulledToFiles(@TempDir final Path directory) throws Exception {
        drain();
        site.inputPort("loop-in").send(packets()).get();
        PullToFiles.main(new String[] {
            nifi.info().s2sHost(), "" + nifi.info().s2sPort(), nifi.portId("loop-out"), directory.toString()
        });
        final List<String> contents = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (final Path file : files.toList()) {
                contents.add(Files.readString(file));
            }
        }
        assertEquals(ids(), contents.stream().sorted().toList());
    }

    @Test
    void sensorsShareAFewThreadsAndConnections() throws Exception {
        TenThousandSensors.main(new String[] {
            nifi.info().s2sHost(), "" + nifi.info().s2sPort(), nifi.portId("input"), "" + SENSORS, "2", "1000"
        });
        awaitInLedger(2 * SENSORS);
    }

    /** Each of the documentation has a test here. */
    @Test
    void allProgramsAreTried() throws Exception {
        final Path place = Path.of(SendFile.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        final Set<String> programs = new TreeSet<>();
        try (JarFile jar = new JarFile(place.toFile())) {
            jar.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.matches("org/nios2s/client/examples/[A-Z][A-Za-z]*\\.class"))
                    .forEach(name -> programs.add(name.replaceAll(".*/|\\.class", "")));
        }
        assertEquals(
                Set.of(
                        "CheckpointedSink",
                        "JoinedReadings",
                        "PullToFiles",
                        "PushDirectory",
                        "ReceiveToFiles",
                        "SendFile",
                        "SensorRecords",
                        "TenThousandSensors",
                        "TwoPhaseRelay"),
                programs);
    }

    private static List<Packet> packets() {
        return ids().stream()
                .map(id -> Packet.of(Map.of(ID, id), id.getBytes()))
                .toList();
    }

    private static List<String> ids() {
        return IntStream.range(0, 20).mapToObj(i -> "id-" + i).sorted().toList();
    }

    private static List<String> names(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith(".part"))
                    .sorted()
                    .toList();
        }
    }

    private void drain() {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> site.outputPort("loop-out")
                                .pull(ReceivedBatch::skipRest)
                                .get()
                                .packets()
                        == 0);
    }

    @Test
    void whatIsRelayedIsCommittedOnceAlsoWhenACommitFails() throws Exception {
        drain();
        final Producer producer = new Producer();
        try (BatchReceiver receiver = TwoPhaseRelay.start(site.outputPort("loop-out"), producer)) {
            site.inputPort("loop-in").send(packets()).get();
            Awaitility.await().atMost(PATIENCE).until(() -> producer.committed.size() >= ids().size());
            assertFalse(receiver.whenEnded().isDone());
        }
        assertEquals(ids(), producer.committed.stream().sorted().toList());
        drain();
    }

    /** Fails its first commit. */
    private static final class Producer implements TwoPhaseRelay.Transactions {
        private final ConcurrentLinkedQueue<String> committed = new ConcurrentLinkedQueue<>();
        private final List<String> open = new ArrayList<>();
        private boolean failed;

        @Override
        public void begin() {
            open.clear();
        }

        @Override
        public void write(final byte[] record) {
            open.add(new String(record));
        }

        @Override
        public void commit() {
            if (!failed) {
                failed = true;
                throw new IllegalStateException("the broker is away");
            }
            committed.addAll(open);
        }

        @Override
        public void abort() {
            open.clear();
        }
    }

    @Test
    void aCheckpointFollowsWhatIsInNifi() throws Exception {
        try (CheckpointedSink sink = new CheckpointedSink(site.inputPort("input"))) {
            for (int i = 0; i < 1_000; i++) {
                sink.write(("record " + i).getBytes());
            }
            sink.flush();
            awaitInLedger(1_000);
        }
    }
}
