// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

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
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.NifiOptions;

/**
 * A NiFi whose clock jumps under load, see {@link Ordeal}. Runs on the thread of the tests, with a NiFi of its own.
 *
 * <p>Only with {@code -Pfaults}, and where there is libfaketime: the Debian package of that name.
 */
@EnabledIfSystemProperty(named = "faults", matches = "true")
class ClockIT {

    private static final Path HOME = Path.of("target", "nifi-homes", "clock");
    private static final Path CLOCK = Path.of("target", "clock").toAbsolutePath();
    private static final String RIGHT = "+0";
    private static final Duration TOLERANCE = Duration.ofMinutes(10);

    private static NifiInstance nifi;

    @BeforeAll
    static void start() throws IOException {
        final Optional<Path> library = library();
        assumeTrue(library.isPresent(), "libfaketime is not installed");
        set(RIGHT);
        nifi = NifiInstance.start(new NifiOptions()
                .home(HOME)
                .listener(Listener.NIO)
                .heap("1g")
                .fresh(true)
                .stopOnExit(true)
                .environment("LD_PRELOAD", library.orElseThrow().toString())
                .environment("FAKETIME_TIMESTAMP_FILE", CLOCK.toString())
                .environment("FAKETIME_CACHE_DURATION", "1")
                .environment("DONT_FAKE_MONOTONIC", "1")
                // Else every wait of the JVM costs many times its time.
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

    @ParameterizedTest
    @ValueSource(ints = {1, -1})
    void aClockThatJumpsAndJumpsBackIsNoticedByNobody(final int hours) throws Exception {
        new Ordeal(List.of(nifi)).endureBriefly("clock-" + hours, load -> {
            jump("%+dh".formatted(hours), Duration.ofHours(hours));
            load.awaitProgress();
            jump(RIGHT, Duration.ZERO);
            load.awaitProgress();
        });
    }

    /** Waits until NiFi's clock is ahead by so much. */
    private static void jump(final String offset, final Duration ahead) throws IOException {
        set(offset);
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
