// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.nifi.security.AccessPolicies;
import org.nios2s.harness.nifi.security.AccessPolicies.Action;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.target.SuspendedProcess;
import org.nios2s.integration.Peers;

/**
 * Faults of a NiFi under load, see {@link Ordeal}. Runs on the thread of the tests, with a NiFi of its own.
 *
 * <p>{@code -Pfaults} takes longer for each; {@code -Dfaults.kills=50} kills it so often, {@code -Dfaults.secure=true} speaks TLS.
 */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FaultsIT {

    private static final boolean LONG = Boolean.getBoolean("faults");
    /** Then what has arrived is drained and judged. */
    private static final int KILLS_IN_A_ROUND = 5;

    private static final int KILLS = Integer.getInteger("faults.kills", LONG ? 25 : KILLS_IN_A_ROUND);

    private static final boolean SECURE = Boolean.getBoolean("faults.secure");
    private static final int PAUSE_SECONDS = LONG ? 10 : 3;
    private static final int SPARE_DESCRIPTORS = 5;
    private static final int DOOMED_PACKETS = 40;
    private static final BackPressure FULL_WITH_ONE = new BackPressure(1, 0);
    private static final int REPOSITORY_MEBIBYTES = 1024;
    /** What arrives while the sink stands. */
    private static final int CONTENT_MEBIBYTES = 4 * REPOSITORY_MEBIBYTES;

    private static final Path HOME = Path.of("target", "nifi-homes", "faults");
    private static final Path ORDER = Path.of("target", "fault-order").toAbsolutePath();
    private static final List<String> REPOSITORIES = List.of(
            "content.repository.directory.default",
            "flowfile.repository.directory",
            "provenance.repository.directory.default");

    private static final List<String> ERRORS = List.of("java.lang.OutOfMemoryError", "java.lang.StackOverflowError");

    private static final Map<String, SmallDisk> DISKS = new HashMap<>();
    private static NifiNode nifi;
    private static Ordeal ordeal;

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
                // One that is lost is missed.
                .portTasks(1)
                // What NiFi 2.3 swaps out, it forgets when it is killed.
                .property("nifi.queue.swap.threshold", "10000000")
                // The disks are small.
                .property("nifi.content.repository.archive.enabled", "false")
                .property("nifi.flowfile.repository.checkpoint.interval", "2 secs")
                .jvmArgument("-XX:+EnableDynamicAgentLoading")
                .jvmArgument("-javaagent:" + FaultAgent.pack(Path.of("target", "fault-agent.jar")) + "=" + ORDER);
        for (final String repository : REPOSITORIES) {
            final Path directory = Path.of("target", "disks", repository).toAbsolutePath();
            if (SmallDisk.isPossible()) {
                DISKS.put(
                        repository,
                        SmallDisk.mount(
                                directory,
                                repository.startsWith("content") ? CONTENT_MEBIBYTES : REPOSITORY_MEBIBYTES));
                options.property(
                        "nifi." + repository, directory.resolve("repository").toString());
            }
        }
        nifi = NifiNode.start(options);
        ordeal = new Ordeal(List.of(nifi));
    }

    @AfterAll
    static void stop() {
        if (nifi != null) {
            nifi.close();
        }
        DISKS.values().forEach(SmallDisk::close);
    }

    @ParameterizedTest
    @Order(1)
    @CsvSource({
        "StandardProcessSession.create, port-task",
        "StandardProcessSession.putAllAttributes, port-task",
        "StandardProcessSession.commit, port-task",
        "StandardProcessSession.write, Site-to-Site_NIO_Content",
        "PacketDecoder.decode, Site-to-Site_NIO_Worker",
        "AbstractFlowFileServerProtocol.validateHandshakeRequest, Site-to-Site_NIO",
        "StandardPublicPort.receiveFlowFiles, Site-to-Site_NIO_Dispatcher",
        "StandardPublicPort.transferFlowFiles, Site-to-Site_NIO_Dispatcher",
        "StandardProcessSession.get, port-task",
        "StandardProcessSession.read, Site-to-Site_NIO_Content",
        "StandardProcessSession.transfer, port-task",
    })
    void anErrorStopsNoThread(final String method, final String thread) throws Exception {
        for (final String error : LONG ? ERRORS : ERRORS.subList(0, 1)) {
            ordeal.endureBriefly("error-" + method + "-" + error, load -> order(method, thread, error));
        }
    }

    /** Threads on which something is done over TLS only, and some of it for peers only that are not known yet. */
    @ParameterizedTest
    @Order(1)
    @CsvSource({
        "StandardPublicPort.checkUserAuthorization, Site-to-Site_NIO_Authorization",
        "StandardX509ExtendedTrustManager.checkClientTrusted, Site-to-Site_NIO_Handshake",
    })
    void anErrorBecauseOfAStrangerStopsNoThread(final String method, final String thread) throws Exception {
        assumeTrue(SECURE, "runs with -Dfaults.secure=true");
        for (final String error : ERRORS) {
            ordeal.endureBriefly(
                    "error-" + method + "-" + error, load -> order(method, thread, error, ordeal::letAStrangerPush));
        }
    }

    /** What inflates abnormally is written on a thread of its own, and no honest client sends it. */
    @Test
    @Order(1)
    void anErrorBecauseOfABombStopsNoThread() throws Exception {
        assumeFalse(SECURE, "the bomb is plain");
        for (final String error : LONG ? ERRORS : ERRORS.subList(0, 1)) {
            ordeal.endureBriefly(
                    "error-bomb-" + error,
                    load -> order(
                            "StandardProcessSession.write",
                            "Site-to-Site_NIO_Inflation",
                            error,
                            FaultsIT::letABombGoOff));
        }
    }

    private static void letABombGoOff() {
        final Attack bomb =
                new Attacks(nifi.portId("input"), "").inflationBombs().by(1);
        try (AttackSwarm swarm = AttackSwarm.launch(bomb, Peers.address(nifi))) {
            Awaitility.await().atMost(Ordeal.PATIENCE).until(() -> swarm.ended() == 1 || !Files.exists(ORDER));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @Order(1)
    @CsvSource({
        "WriteAheadFlowFileRepository.updateRepository, port-task",
        "FileSystemRepository.create, port-task",
        "FileSystemRepository.write, Site-to-Site_NIO_Content",
    })
    void aRepositoryThatFailsLosesNothing(final String method, final String thread) throws Exception {
        ordeal.endureBriefly("failing-" + method, load -> order(method, thread, "java.io.IOException"));
    }

    /** Waits until the next call of a method threw. */
    private static void order(final String method, final String thread, final String error) throws IOException {
        order(method, thread, error, () -> {});
    }

    /** @param provocation brings a call about; repeated until one threw */
    private static void order(final String method, final String thread, final String error, final Runnable provocation)
            throws IOException {
        final Path written = ORDER.resolveSibling(ORDER.getFileName() + ".new");
        Files.writeString(written, method + " " + thread + " " + error);
        Files.move(written, ORDER, StandardCopyOption.ATOMIC_MOVE);
        try {
            Awaitility.await().atMost(Ordeal.PATIENCE).until(() -> {
                provocation.run();
                return !Files.exists(ORDER);
            });
        } finally {
            Files.deleteIfExists(ORDER); // or it would hit another test
        }
    }

    @Test
    @Order(2)
    void aPauseOfTheProcessIsNoticedByNobody() throws Exception {
        ordeal.endure("paused", load -> {
            final long failures = load.failures();
            final SuspendedProcess paused =
                    SuspendedProcess.pause(ProcessHandle.of(nifi.info().pid()).orElseThrow());
            TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
            paused.close();
            load.awaitProgress();
            assertEquals(failures, load.failures(), "clients that noticed");
        });
    }

    @Test
    @Order(2)
    void usedUpFileDescriptorsAreAPassingTrouble() throws Exception {
        ordeal.endure("descriptors", load -> {
            final long pid = nifi.info().pid();
            final long limit = descriptorLimit(pid);
            limitDescriptors(pid, Vitals.descriptors(pid) + SPARE_DESCRIPTORS);
            final List<Socket> crowd = new ArrayList<>();
            try {
                for (int peer = 0; peer < 100; peer++) {
                    final Socket socket = new Socket();
                    socket.connect(Peers.address(nifi));
                    crowd.add(socket);
                }
                TimeUnit.SECONDS.sleep(2);
            } finally {
                for (final Socket socket : crowd) {
                    socket.close();
                }
                limitDescriptors(pid, limit);
            }
        });
    }

    /** The soft one. */
    private static long descriptorLimit(final long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(pid), "limits")).stream()
                .filter(line -> line.startsWith("Max open files"))
                .map(line -> Long.valueOf(line.split(" {2,}")[1]))
                .findFirst()
                .orElseThrow();
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
        try (FaultyProxy proxy = new FaultyProxy(Peers.address(nifi))) {
            final Load.Entrance entrance = (port, steps) -> ordeal.connect(proxy.address(), nifi.portId(port), steps);
            ordeal.endure("proxy-" + harm, entrance, load -> {
                final long failures = load.failures();
                proxy.harm(harm);
                TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
                proxy.harm(FaultyProxy.Harm.NONE);
                if (harm.isNoticed()) {
                    Awaitility.await().atMost(Ordeal.PATIENCE).until(() -> load.failures() > failures);
                }
            });
        }
    }

    @Test
    @Order(2)
    void aPortThatStopsAndStartsLosesNothing() throws Exception {
        ordeal.endure("port-stopped", load -> {
            final Component port = ordeal.port();
            nifi.flow().stop(port);
            nifi.flow().start(port);
            load.awaitProgress();
            nifi.flow().stop(port);
            nifi.flow().disable(port);
            nifi.flow().stop(port);
            nifi.flow().start(port);
        });
    }

    @Test
    @Order(2)
    void aPortThatIsDeletedTakesNothingElseWithIt() throws Exception {
        final Component doomed = nifi.flow().ensurePort(ComponentKind.INPUT_PORT, "doomed", 1);
        final Component connection = nifi.flow().connect(doomed, ordeal.sink(), BackPressure.generous());
        if (SECURE) {
            nifi.policies().grant(Identity.CLIENT.distinguishedName(), Action.WRITE, AccessPolicies.transferTo(doomed));
        }
        nifi.flow().start(doomed);
        ordeal.endure("port-deleted", load -> {
            final ResendingSenders.Connector connector =
                    () -> ordeal.connect(Peers.address(nifi), doomed.id(), step -> {});
            try (ResendingSenders small = ResendingSenders.start("doomed-small", 4, Load.SMALL_BYTES, connector);
                    ResendingSenders large = ResendingSenders.start("doomed-large", 2, Load.LARGE_BYTES, connector)) {
                small.awaitMore(DOOMED_PACKETS);
                large.awaitMore(1);
                nifi.flow().stop(doomed);
                nifi.flow().empty(connection);
                nifi.flow().delete(connection);
                nifi.flow().delete(doomed);
                load.awaitProgress();
            }
        });
    }

    @ParameterizedTest
    @Order(2)
    @ValueSource(ints = {Load.SMALL_BYTES, Load.LARGE_BYTES})
    void backPressureComesAndGoesAtEveryStepOfAPush(final int bytes) throws Exception {
        final Component connection = ordeal.connection();
        ordeal.endure("back-pressure-push-" + bytes, load -> {
            for (final FaultPeer.Step step : FaultPeer.Step.PUSH) {
                for (final boolean goesOnWhileFull : new boolean[] {true, false}) {
                    final Gate gate = new Gate(step);
                    final String kind = "held-" + step + goesOnWhileFull;
                    try (ResendingSenders held = load.join(kind, 1, bytes, gate)) {
                        gate.awaitPeer();
                        final long failures = held.failures();
                        fillAndFree(connection, () -> {
                            if (goesOnWhileFull) {
                                gate.close();
                                Awaitility.await()
                                        .atMost(Ordeal.PATIENCE)
                                        .until(() -> held.failures() > failures || aPushWaits());
                            }
                        });
                        gate.close();
                        held.awaitMore(2);
                    }
                }
            }
        });
    }

    /** The loop's queue has room for one FlowFile: it is full, and free again, with each that is pulled. */
    @Test
    @Order(2)
    void backPressureComesAndGoesAtEveryStepOfAPull() throws Exception {
        setPressureOfLoop(FULL_WITH_ONE);
        try {
            ordeal.endure("back-pressure-pull", load -> {
                for (final FaultPeer.Step step : FaultPeer.Step.PULL) {
                    try (Gate gate = new Gate(step)) {
                        load.joinPullers(gate);
                        gate.awaitPeer();
                        awaitRefusal("loop-in");
                    }
                    load.awaitPulls();
                }
            });
        } finally {
            setPressureOfLoop(BackPressure.generous());
        }
    }

    /** NiFi changes no connection into a port that runs. */
    private static void setPressureOfLoop(final BackPressure pressure) {
        final Component port = ordeal.port(ComponentKind.OUTPUT_PORT, "loop-out");
        nifi.flow().stop(port);
        nifi.flow().setBackPressure(ordeal.loop(), pressure);
        nifi.flow().start(port);
    }

    /** Whether a push stands before the full queue. */
    private static boolean aPushWaits() {
        return nifi.metrics(ordeal.port().id()).getOrDefault("TransactionsWaiting", 0.0) > 0;
    }

    /** Makes a connection full, in which something is done, and free again. */
    private static void fillAndFree(final Component connection, final Runnable whileFull) {
        nifi.flow().setBackPressure(connection, FULL_WITH_ONE);
        try {
            awaitRefusal("input");
            whileFull.run();
        } finally {
            nifi.flow().setBackPressure(connection, BackPressure.generous());
        }
    }

    /** Waits until the queue behind a port is full. */
    private static void awaitRefusal(final String port) {
        Awaitility.await().atMost(Ordeal.PATIENCE).until(() -> {
            try {
                ordeal.connect(port, step -> {}).close();
                return false;
            } catch (final IOException e) {
                return e.toString().contains(ResponseCode.PORTS_DESTINATION_FULL.toString());
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
        assumeTrue(DISKS.containsKey(repository), "no right to mount a small disk");
        ordeal.endure("full-" + repository, load -> {
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
            ordeal.endure("killed-" + kills, load -> {
                for (int kill = 0; kill < inThisRound; kill++) {
                    nifi.kill();
                    nifi.startAgain();
                    nifi.flow().stop(ordeal.sink());
                    load.awaitProgress();
                }
            });
        }
    }
}
