// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiHome;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.integration.Peers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every attack on a NiFi with 1 GiB of heap and default settings, beside a hundred honest clients: they notice nothing, NiFi
 * holds little for the attackers, and nothing once they have left. Runs on the thread of the tests, with a NiFi of its own.
 *
 * <p>{@code -Pfaults} attacks longer and with all peers. The honest clients' rate is reported beside the mean of the rates in peace before
 * and after the attack, and not judged: the attackers share the machine's processors, so their own processor time is reported too.
 */
@Tag("full")
@Isolated("it takes the whole machine")
class HostileIT {

    private static final Logger logger = LoggerFactory.getLogger(HostileIT.class);

    private static final Path HOME = Path.of("target", "nifi-homes", "hostile");
    private static final boolean FULL = Boolean.getBoolean("faults");
    /** Of each attack, and of the peace before and after it: {@code -Dattack.seconds=12}. */
    private static final Duration ATTACK = Duration.ofSeconds(Integer.getInteger("attack.seconds", FULL ? 40 : 3));

    private static final Duration WARM_UP = FULL ? Duration.ofSeconds(30) : Duration.ofSeconds(5);
    private static final int MAX_PEERS_IN_SHORT = 1_500;
    /** Those whose name has this in it: {@code -Dattacks=codecs}. */
    private static final Pattern ONLY = Pattern.compile(System.getProperty("attacks", ""));

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final long MEBIBYTE = 1024L * 1024;
    private static final long MORE_HEAP = 100 * MEBIBYTE;
    /** The default of {@code nifi.remote.input.nio.buffer.memory}, and some. */
    private static final long MORE_MEMORY = (64 + 150) * MEBIBYTE;

    /** NiFi's own pools come and go by a few. */
    private static final int MORE_THREADS = 25;

    private static final int MORE_SOCKETS = 25;
    private static final int OTHER_DESCRIPTORS = 500;
    private static final int PULLABLE = 500;
    private static final int PULLABLE_BYTES = 300_000;

    private static NifiNode nifi;
    private static Attacks attacks;

    @BeforeAll
    static void start() throws Exception {
        nifi = NifiNode.start(new NifiOptions()
                .home(HOME)
                .listener(Listener.NIO)
                .heap("1g")
                .jvmArgument("-XX:+AlwaysPreTouch")
                .jvmArgument("-Dorg.nios2s.shaded.io.netty.leakDetection.level=simple")
                .jvmArgument("-Dorg.nios2s.shaded.io.netty.leakDetection.samplingInterval=128")
                .property("nifi.content.repository.archive.enabled", "false")
                .fresh(true)
                .stopOnExit(true));
        attacks = new Attacks(nifi.portId("input"), nifi.portId("loop-out"));
        HostileFlow.fill(nifi, PULLABLE, PULLABLE_BYTES);
        try (HonestClients warmUp = HonestClients.push(nifi, WARM_UP)) {
            warmUp.await();
        }
    }

    @AfterAll
    static void stop() {
        if (nifi != null) {
            nifi.close();
            // Up to 32 GiB. The logs stay.
            NifiHome.delete(HOME.resolve("content_repository"));
        }
    }

    static Stream<Attack> everyAttack() {
        // The ports are not known before NiFi runs, and not needed to count the attacks.
        return attacks.all().stream()
                .filter(attack -> ONLY.matcher(attack.name()).find())
                .map(attack -> attack.by(Math.min(attack.peers(), mostPeers())));
    }

    /** As many as this process may have sockets, beside the honest clients'. */
    private static int mostPeers() {
        final long files = ManagementFactory.getOperatingSystemMXBean() instanceof final UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount() - unix.getOpenFileDescriptorCount()
                : Integer.MAX_VALUE;
        return Math.clamp(files - OTHER_DESCRIPTORS, 1, FULL ? Integer.MAX_VALUE : MAX_PEERS_IN_SHORT);
    }

    @ParameterizedTest
    @MethodSource("everyAttack")
    void honestClientsAndNifiEndureIt(final Attack attack) throws Exception {
        final double rateBefore = rateInPeace();
        final Vitals before = Vitals.of(nifi);
        final long socketsBefore = Vitals.sockets(nifi.info().pid());
        final LoadOutcome honest;
        final Vitals during;
        final int peers;
        final String attackers;
        try (HonestClients clients = HonestClients.push(nifi, ATTACK);
                AttackSwarm swarm = AttackSwarm.launch(
                        attack, Peers.address(nifi), attack.name().startsWith("one address"), true)) {
            honest = clients.await();
            during = Vitals.of(nifi);
            peers = swarm.connected();
            attackers = swarm.toString();
        }
        assertTrue(peers > 0, "nobody attacked");
        assertEquals(0, honest.failed(), () -> "transactions of honest clients failed: " + honest);
        assertTrue(during.heapBytes() <= before.heapBytes() + MORE_HEAP, () -> before + ", then " + during);
        // Not all that is resident: NiFi maps its provenance index, and merging ten of its segments brings some 440 MiB
        // of it
        // into RAM for half a minute. The listener maps no files.
        assertTrue(during.anonymousBytes() <= before.anonymousBytes() + MORE_MEMORY, () -> before + ", then " + during);
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> Vitals.sockets(nifi.info().pid()) <= socketsBefore + MORE_SOCKETS);
        Awaitility.await().atMost(PATIENCE).until(() -> Leftovers.of(nifi), Map.of()::equals);
        final Vitals after = Vitals.of(nifi);
        assertTrue(after.heapBytes() <= before.heapBytes() + MORE_HEAP, () -> before + ", then " + after);
        assertTrue(after.threads() <= before.threads() + MORE_THREADS, () -> before + ", then " + after);
        logger.info(
                "{}: {}; honest clients {} of {} transactions a second, {} failed; before: {}; during: {}",
                attack,
                attackers,
                Math.round(honest.transactionsPerSecond()),
                Math.round((rateBefore + rateInPeace()) / 2),
                honest.failed(),
                before,
                during);
    }

    private static double rateInPeace() throws Exception {
        try (HonestClients inPeace = HonestClients.push(nifi, ATTACK)) {
            return inPeace.await().transactionsPerSecond();
        }
    }

    @Test
    void aNameWithLineBreaksMakesNoLineOfTheLog() throws Exception {
        final String forged =
                "\n2026-01-01 00:00:00,000 ERROR [main] org.example.Forged FORGED\r\n\u001b[2J\u0085\u2028";
        final Attack attack = attacks.names("forged names", Attacks.placesOfNames(), forged);
        try (AttackSwarm swarm = AttackSwarm.launch(attack, Peers.address(nifi))) {
            Awaitility.await().atMost(PATIENCE).until(() -> swarm.connected() == attack.peers());
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> !nifi.log().linesWith("FORGED").isEmpty());
        }
        final List<String> forgedLines = nifi.log().lines().stream()
                .filter(line -> line.startsWith("2026-01-01 00:00:00,000") || line.contains("\u001b"))
                .toList();
        assertEquals(List.of(), forgedLines);
    }
}
