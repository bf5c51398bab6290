// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiOptions;

/**
 * A NiFi whose clock jumps under load, see {@link Ordeal}. Runs on the thread of the tests, with a NiFi of its own.
 *
 * <p>Only with {@code -Pfaults}, and where there is libfaketime: the Debian package of that name.
 */
@Tag("full")
@EnabledIfSystemProperty(named = "faults", matches = "true")
class ClockIT {

    private static final Path HOME = Path.of("target", "nifi-homes", "clock");
    private static final Path CLOCK = Path.of("target", "clock").toAbsolutePath();
    private static final String RIGHT = "+0";
    private static final Duration BACK = Duration.ofSeconds(-10);
    private static final Duration AHEAD = Duration.ofHours(1);
    private static final Duration TOLERANCE = Duration.ofSeconds(4);

    private static NifiNode nifi;

    @BeforeAll
    static void start() throws IOException {
        final Optional<Path> library = library();
        assumeTrue(library.isPresent(), "libfaketime is not installed");
        set(RIGHT);
        nifi = NifiNode.start(new NifiOptions()
                .home(HOME)
                .listener(Listener.NIO)
                .heap("1g")
                .fresh(true)
                .stopOnExit(true)
                .property("nifi.content.repository.archive.enabled", "false")
                .environment("LD_PRELOAD", library.orElseThrow().toString())
                .environment("FAKETIME_TIMESTAMP_FILE", CLOCK.toString())
                .environment("FAKETIME_CACHE_DURATION", "1")
                .environment("FAKETIME_DONT_FAKE_MONOTONIC", "1")
                // Otherwise every wait of the JVM ends at once.
                .environment("FAKETIME_FORCE_MONOTONIC_FIX", "0"));
    }

    private static Optional<Path> library() throws IOException {
        final Path libraries = Path.of("/usr/lib");
        try (Stream<Path> architectures = Files.list(libraries)) {
            return architectures
                    .map(architecture -> architecture.resolve("faketime").resolve("libfaketime.so.1"))
                    .filter(Files::exists)
                    .findFirst();
        }
    }

    @AfterAll
    static void stop() {
        if (nifi != null) {
            nifi.close();
        }
    }

    /**
     * NiFi compares the time until which a port has yielded with the wall clock: set back by ten seconds, no public port runs for
     * ten seconds, with any listener. So it is not set back by more, and not at all after it was set ahead.
     */
    @Test
    void aClockThatJumpsIsNoticedByNobody() throws Exception {
        final Ordeal ordeal = new Ordeal(List.of(nifi));
        ordeal.endure("clock-back", load -> {
            final long failures = load.failures();
            jump(BACK);
            load.awaitProgress();
            assertEquals(failures, load.failures(), "clients that noticed");
        });
        ordeal.endureBriefly("clock-ahead", load -> {
            final long failures = load.failures();
            jump(AHEAD);
            load.awaitProgress();
            assertEquals(failures, load.failures(), "clients that noticed");
        });
    }

    /** Waits until NiFi's clock is ahead by so much. */
    private static void jump(final Duration ahead) throws IOException {
        set("%+d".formatted(ahead.toSeconds()));
        Awaitility.await().atMost(Ordeal.PATIENCE).until(() -> {
            final LocalTime expected = LocalTime.now().plus(ahead);
            final Duration difference = Duration.between(expected, clock()).abs();
            return difference.compareTo(TOLERANCE) < 0
                    || difference.compareTo(Duration.ofDays(1).minus(TOLERANCE)) > 0;
        });
    }

    /** What NiFi shows as the time at which it was asked. */
    private static LocalTime clock() {
        final String refreshed = nifi.rest()
                .get("/flow/process-groups/root")
                .requiredAt("/processGroupFlow/lastRefreshed")
                .asText();
        return LocalTime.parse(refreshed.split(" ")[0], DateTimeFormatter.ISO_LOCAL_TIME);
    }

    private static void set(final String offset) throws IOException {
        final Path written = CLOCK.resolveSibling(CLOCK.getFileName() + ".new");
        Files.writeString(written, offset);
        Files.move(written, CLOCK, StandardCopyOption.ATOMIC_MOVE);
    }
}
