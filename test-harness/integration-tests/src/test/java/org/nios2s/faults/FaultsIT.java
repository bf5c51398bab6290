// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.engine.PausedProcess;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.nifi.ProcessUsage;
import org.nios2s.harness.nifi.QueueClient;
import org.nios2s.harness.nifi.security.Identity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Faults of a NiFi under load: small and streamed pushes and pulls by clients that try again. Whatever was acknowledged has
 * arrived, twice only where the protocol left the client in doubt; NiFi serves again without a restart, and nothing of the
 * listener is left over. Runs on the thread of the tests, with a NiFi of its own.
 *
 * <p>{@code -Pfaults} tries all faults, and longer; {@code -Dfaults.kills=50} kills it so often, {@code -Dfaults.secure=true}
 * speaks TLS.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FaultsIT {

    private static final Logger logger = LoggerFactory.getLogger(FaultsIT.class);

    private static final boolean FULL = Boolean.getBoolean("faults");
    private static final String TAKES_LONG = "runs with -Pfaults";
    private static final int KILLS = Integer.getInteger("faults.kills", FULL ? 15 : 1);
    /** Then what has arrived is drained and judged. */
    private static final int KILLS_IN_A_ROUND = 5;

    private static final boolean SECURE = Boolean.getBoolean("faults.secure");
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    /** In which all kinds of clients are served again after a fault that passes at once. */
    private static final Duration SOON = Duration.ofSeconds(5);

    private static final Duration STANDSTILL = Duration.ofSeconds(1);
    private static final int SMALL_CLIENTS = 8;
    private static final int SMALL_BYTES = 1_000;
    private static final int LARGE_CLIENTS = 2;
    private static final int LARGE_BYTES = 2_500_000;
    private static final int PULL_BYTES = 100_000;
    private static final int BEFORE_FAULT = 40;
    private static final int AFTER_FAULT = 40;
    private static final int LARGE_AFTER_FAULT = 4;
    private static final int PAUSE_SECONDS = FULL ? 10 : 3;
    private static final int SPARE_DESCRIPTORS = 5;
    private static final int MORE_DESCRIPTORS = 40;
    /** NiFi's own pools come and go by a few. */
    private static final int MORE_THREADS = 25;

    private static final int REPOSITORY_MEBIBYTES = 1024;

    private static final Path HOME = Path.of("target", "nifi-homes", "faults");
    private static final Path ORDER = Path.of("target", "fault-order").toAbsolutePath();
    private static final List<String> REPOSITORIES = List.of(
            "content.repository.directory.default",
            "flowfile.repository.directory",
            "provenance.repository.directory.default");

    private static final List<String> ERRORS = List.of("java.lang.OutOfMemoryError", "java.lang.StackOverflowError");

    private static final Map<String, SmallDisk> DISKS = new HashMap<>();
    private static NifiInstance nifi;
    private static SSLContext tls;
    private static Path ids;

    @BeforeAll
    static void start() throws Exception {
        Files.deleteIfExists(ORDER);
        final NifiOptions options = new NifiOptions()
                .home(HOME)
                .listener(Listener.NIO)
                .heap("1g")
                .fresh(true)
                .stopOnExit(true)
                .secure(SECURE)
                // The disks are small.
                .property("nifi.content.repository.archive.enabled", "false")
                .property("nifi.flowfile.repository.checkpoint.interval", "2 secs")
                .jvmArgument("-XX:+EnableDynamicAgentLoading")
                .jvmArgument("-javaagent:" + FaultAgent.pack(Path.of("target", "fault-agent.jar")) + "=" + ORDER);
        for (final String repository : REPOSITORIES) {
            final Path directory = Path.of("target", "disks", repository).toAbsolutePath();
            if (SmallDisk.isPossible()) {
                DISKS.put(repository, SmallDisk.mount(directory, REPOSITORY_MEBIBYTES));
                options.property(
                        "nifi." + repository, directory.resolve("repository").toString());
            }
        }
        nifi = NifiInstance.start(options);
        tls = SECURE ? nifi.security().context(nifi.security().keyStore(Identity.CLIENT)) : null;
        ids = nifi.keepPacketIds("faults.ids");
        Files.write(ids, new byte[0]);
    }

    @AfterAll
    static void stop() {
        if (nifi != null) {
            nifi.close();
        }
        DISKS.values().forEach(SmallDisk::close);
    }

    /** Something happens to a NiFi under load. */
    @FunctionalInterface
    private interface Fault {
        void happen(Load load) throws Exception;
    }

    /** Clients of each kind, which go on until they are closed. */
    private static final class Load implements AutoCloseable {

        private final ResendingSenders small;
        private final ResendingSenders large;
        private final ResendingSenders looped;
        private final Pullers pullers;

        Load(final String name, final InetSocketAddress listener) {
            small = senders(name + "-small", SMALL_CLIENTS, SMALL_BYTES, listener, "input");
            large = senders(name + "-large", LARGE_CLIENTS, LARGE_BYTES, listener, "input");
            looped = senders(name + "-looped", 1, PULL_BYTES, listener, "loop-in");
            pullers = Pullers.start(2, () -> connect(listener, "loop-out"));
        }

        private static ResendingSenders senders(
                final String name,
                final int clients,
                final int bytes,
                final InetSocketAddress listener,
                final String port) {
            return ResendingSenders.start(name, clients, bytes, () -> connect(listener, port));
        }

        void awaitProgress() {
            small.awaitMore(BEFORE_FAULT);
            large.awaitMore(1);
            pullers.awaitMore(1);
        }

        /** Waits until every kind of client is served again; says how long that took. */
        Duration awaitRecovery() {
            final Duration smallAgain = small.awaitMore(AFTER_FAULT);
            return smallAgain.plus(large.awaitMore(LARGE_AFTER_FAULT)).plus(pullers.awaitMore(2));
        }

        @Override
        public void close() {
            small.close();
            large.close();
            looped.close();
            pullers.drain(looped);
        }
    }

    private static FaultPeer connect(final InetSocketAddress listener, final String port) throws IOException {
        return new FaultPeer(listener, nifi.portId(port), tls);
    }

    private Duration endure(final String name, final Fault fault) throws Exception {
        return endure(name, address(), fault);
    }

    /** A fault after which all kinds of clients are served again at once. */
    private void endureBriefly(final String name, final Fault fault) throws Exception {
        final Duration recovery = endure(name, fault);
        assertTrue(recovery.compareTo(SOON) <= 0, () -> "served again after " + recovery);
    }

    private Duration endure(final String name, final InetSocketAddress listener, final Fault fault) throws Exception {
        final long descriptors = Vitals.descriptors(nifi.instance().pid());
        final int threads = threads();
        final Component sink = sink();
        nifi.flow().stop(sink);
        final Load load = new Load(name, listener);
        final Duration recovery;
        try {
            load.awaitProgress();
            assertNotEquals(Map.of(), Leftovers.of(nifi), "what is counted has other names");
            fault.happen(load);
            recovery = load.awaitRecovery();
        } finally {
            load.close();
        }
        nifi.flow().start(sink);
        Awaitility.await().atMost(PATIENCE).until(() -> inputQueue() == 0);
        awaitStandstill();
        final List<String> arrived = Files.readAllLines(ids);
        logger.info(
                "{}: served again after {} ms; small: {}; large: {}; pulled: {}",
                name,
                recovery.toMillis(),
                load.small,
                load.large,
                load.pullers);
        for (final ResendingSenders senders : List.of(load.small, load.large)) {
            assertEquals(Set.of(), senders.missing(arrived), "acknowledged and not in the ledger");
            assertEquals(Set.of(), senders.inexplicable(arrived), "in the ledger too often");
        }
        assertEquals(Set.of(), load.looped.missing(load.pullers.received()), "acknowledged and not pulled");
        assertEquals(Set.of(), load.pullers.inexplicable(load.looped), "pulled too often");
        Awaitility.await().atMost(PATIENCE).until(() -> Leftovers.of(nifi), Map.of()::equals);
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> Vitals.descriptors(nifi.instance().pid()) <= descriptors + MORE_DESCRIPTORS
                        && threads() <= threads + MORE_THREADS);
        return recovery;
    }

    private static int threads() {
        return ProcessUsage.of(ProcessHandle.of(nifi.instance().pid()).orElseThrow())
                .threads();
    }

    /** Waits until the sink writes no more ids. */
    private static void awaitStandstill() {
        final AtomicLong size = new AtomicLong(-1);
        Awaitility.await()
                .during(STANDSTILL)
                .atMost(PATIENCE)
                .until(() -> size.getAndSet(Files.size(ids)) == Files.size(ids));
    }

    private static Component sink() {
        return nifi.flow().find(ComponentKind.PROCESSOR, "sink").orElseThrow();
    }

    private static Component port() {
        return nifi.flow().find(ComponentKind.INPUT_PORT, "input").orElseThrow();
    }

    private static Component connection() {
        return nifi.flow().findConnection(port(), sink()).orElseThrow();
    }

    private static long inputQueue() {
        return new QueueClient(nifi.rest()).size(connection()).flowFiles();
    }

    private static InetSocketAddress address() {
        return new InetSocketAddress(nifi.instance().s2sHost(), nifi.instance().s2sPort());
    }

    @ParameterizedTest
    @Order(1)
    @CsvSource({
        "StandardProcessSession.create, Timer-Driven",
        "StandardProcessSession.putAllAttributes, Timer-Driven",
        "StandardProcessSession.commit, Timer-Driven",
        "StandardProcessSession.write, Site-to-Site_NIO_Content",
        "PacketDecoder.decode, Site-to-Site_NIO_Worker",
        "AbstractFlowFileServerProtocol.validateHandshakeRequest, Site-to-Site_NIO",
        "StandardPublicPort.receiveFlowFiles, Site-to-Site_NIO",
    })
    void anErrorStopsNoThread(final String method, final String thread) throws Exception {
        for (final String error : FULL ? ERRORS : ERRORS.subList(0, 1)) {
            endureBriefly("error-" + method + "-" + error, load -> order(method, thread, error, load));
        }
    }

    @ParameterizedTest
    @Order(1)
    @CsvSource({
        "WriteAheadFlowFileRepository.updateRepository, Timer-Driven",
        "FileSystemRepository.create, Timer-Driven",
        "FileSystemRepository.write, Site-to-Site_NIO_Content",
    })
    void aRepositoryThatFailsLosesNothing(final String method, final String thread) throws Exception {
        endureBriefly("failing-" + method, load -> order(method, thread, "java.io.IOException", load));
    }

    /** Waits until the next call of a method threw; new connections bring about those that are rare. */
    private static void order(final String method, final String thread, final String error, final Load load)
            throws IOException {
        final Path written = ORDER.resolveSibling(ORDER.getFileName() + ".new");
        Files.writeString(written, method + " " + thread + " " + error);
        Files.move(written, ORDER, StandardCopyOption.ATOMIC_MOVE);
        Awaitility.await().atMost(PATIENCE).until(() -> {
            if (method.endsWith("validateHandshakeRequest")) {
                connectAndLeave();
            }
            return !Files.exists(ORDER);
        });
    }

    private static void connectAndLeave() {
        try (FaultPeer peer = connect(address(), "input")) {
            peer.push("order-" + System.nanoTime(), new byte[0]);
        } catch (final IOException e) {
            logger.debug("That was the one", e);
        }
    }

    @Test
    @Order(2)
    void aPauseOfTheProcessIsNoticedByNobody() throws Exception {
        assumeTrue(FULL, TAKES_LONG);
        endure("paused", load -> {
            final long failures = load.small.failures();
            final PausedProcess paused =
                    PausedProcess.pause(ProcessHandle.of(nifi.instance().pid()).orElseThrow());
            TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
            paused.close();
            load.awaitProgress();
            assertEquals(failures, load.small.failures(), "clients that noticed");
        });
    }

    @Test
    @Order(2)
    void usedUpFileDescriptorsAreAPassingTrouble() throws Exception {
        assumeTrue(FULL, TAKES_LONG);
        endure("descriptors", load -> {
            final long pid = nifi.instance().pid();
            limitDescriptors(pid, Vitals.descriptors(pid) + SPARE_DESCRIPTORS);
            final List<Socket> crowd = new ArrayList<>();
            try {
                for (int peer = 0; peer < 100; peer++) {
                    final Socket socket = new Socket();
                    socket.connect(address());
                    crowd.add(socket);
                }
                TimeUnit.SECONDS.sleep(2);
            } finally {
                for (final Socket socket : crowd) {
                    socket.close();
                }
                limitDescriptors(pid, 16_384);
            }
        });
    }

    private static void limitDescriptors(final long pid, final long most) throws IOException, InterruptedException {
        final Process prlimit = new ProcessBuilder("prlimit", "--pid", Long.toString(pid), "--nofile=" + most + ":")
                .redirectErrorStream(true)
                .start();
        final String said = new String(prlimit.getInputStream().readAllBytes());
        assertEquals(0, prlimit.waitFor(), said);
    }

    @ParameterizedTest
    @Order(2)
    @EnumSource(value = FaultyProxy.Harm.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aProxyThatDoesHarmMakesNoHarm(final FaultyProxy.Harm harm) throws Exception {
        assumeTrue(FULL || harm == FaultyProxy.Harm.CUT, TAKES_LONG);
        try (FaultyProxy proxy = new FaultyProxy(address())) {
            endure("proxy-" + harm, proxy.address(), load -> {
                proxy.harm(harm);
                TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
                proxy.harm(FaultyProxy.Harm.NONE);
            });
        }
    }

    @Test
    @Order(2)
    void aPortThatStopsAndStartsLosesNothing() throws Exception {
        endure("port-stopped", load -> {
            nifi.flow().stop(port());
            nifi.flow().start(port());
            load.awaitProgress();
            nifi.flow().stop(port());
            nifi.flow().disable(port());
            nifi.flow().stop(port());
            nifi.flow().start(port());
        });
    }

    @Test
    @Order(2)
    void aPortThatIsDeletedTakesNothingElseWithIt() throws Exception {
        final Component doomed = nifi.flow().ensurePort(ComponentKind.INPUT_PORT, "doomed", 1);
        final Component connection = nifi.flow().connect(doomed, sink(), BackPressure.generous());
        nifi.flow().start(doomed);
        endure("port-deleted", load -> {
            final ResendingSenders.Connector connector = () -> new FaultPeer(address(), doomed.id(), tls);
            try (ResendingSenders small = ResendingSenders.start("doomed-small", 4, SMALL_BYTES, connector);
                    ResendingSenders large = ResendingSenders.start("doomed-large", 2, LARGE_BYTES, connector)) {
                small.awaitMore(BEFORE_FAULT);
                large.awaitMore(1);
                nifi.flow().stop(doomed);
                new QueueClient(nifi.rest()).empty(connection);
                nifi.flow().delete(connection);
                nifi.flow().delete(doomed);
                load.awaitProgress();
            }
        });
    }

    @Test
    @Order(2)
    void backPressureComesAndGoes() throws Exception {
        assumeTrue(FULL, TAKES_LONG);
        endure("back-pressure", load -> {
            for (int turn = 0; turn < PAUSE_SECONDS; turn++) {
                nifi.flow().setBackPressure(connection(), new BackPressure(1, 1));
                TimeUnit.SECONDS.sleep(1);
                nifi.flow().setBackPressure(connection(), BackPressure.generous());
                load.awaitProgress();
            }
        });
    }

    @ParameterizedTest
    @Order(3)
    @ValueSource(
            strings = {
                "content.repository.directory.default",
                "flowfile.repository.directory",
                "provenance.repository.directory.default"
            })
    void aFullDiskIsAPassingTrouble(final String repository) throws Exception {
        assumeTrue(FULL, TAKES_LONG);
        assumeTrue(DISKS.containsKey(repository), "no right to mount a small disk");
        endure("full-" + repository, load -> {
            DISKS.get(repository).fill();
            TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
            DISKS.get(repository).empty();
        });
    }

    @Test
    @Order(4)
    void killsLoseNothing() throws Exception {
        for (int kills = 0; kills < KILLS; kills += KILLS_IN_A_ROUND) {
            final int inThisRound = Math.min(KILLS_IN_A_ROUND, KILLS - kills);
            endure("killed-" + kills, load -> {
                for (int kill = 0; kill < inThisRound; kill++) {
                    nifi.kill();
                    nifi.startAgain();
                    nifi.flow().stop(sink());
                    load.awaitProgress();
                }
            });
        }
    }
}
