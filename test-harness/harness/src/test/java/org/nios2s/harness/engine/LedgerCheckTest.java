// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.ClientStats;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadRecorder;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.PacketFactory;
import org.nios2s.harness.load.PacketId;
import org.nios2s.harness.load.TransactionTimes;
import org.nios2s.harness.result.RunResult.LedgerMetrics;
import org.nios2s.harness.sink.Parcel;

/** Acknowledged packets against the sink's parcels. Runs on the test's thread. */
class LedgerCheckTest {

    private static final Duration STILL = Duration.ofMillis(1);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** Longer than the longest silence after which a ledger is taken for complete. */
    private static final int LOOKS = 5;

    private static final LedgerCheck.Wait IDLE =
            new LedgerCheck.Wait(STILL, PATIENCE, () -> false, () -> false, () -> {});

    private static final Function<PacketId, Parcel> SENT =
            new PacketFactory("run", LoadSettings.Shape.push(2, 10))::parcel;

    @TempDir
    private Path directory;

    private int flowFiles;

    @Test
    void everyPacketOnceIsExact() throws Exception {
        final LedgerMetrics metrics = check("run-0-0-0", "run-0-0-1", "run-1-2-0", "run-1-2-1");

        assertEquals(new LedgerMetrics(4, 4, 0, 0, 0, 0L, null, true), metrics);
        assertTrue(metrics.exact());
    }

    @Test
    void aMissingPacketIsLost() throws Exception {
        final LedgerMetrics metrics = check("run-0-0-0", "run-1-2-0", "run-1-2-1");

        assertEquals(1, metrics.lost());
        assertFalse(metrics.exact());
    }

    @Test
    void aPacketThatCameTwiceIsDuplicated() throws Exception {
        final LedgerMetrics metrics = check("run-0-0-0", "run-0-0-1", "run-1-2-0", "run-1-2-1", "run-0-0-1");

        assertEquals(1, metrics.duplicated());
        assertEquals(0, metrics.lost());
        assertFalse(metrics.exact());
    }

    @Test
    void aPacketOfAFailedTransactionIsNeitherLostNorFound() throws Exception {
        final LedgerMetrics metrics = check("run-0-0-0", "run-0-0-1", "run-1-2-0", "run-1-1-0", "run-1-1-1");

        assertEquals(new LedgerMetrics(4, 5, 1, 0, 2, 0L, null, true), metrics);
    }

    @Test
    void otherRunsAndEarlierLinesDoNotCount() throws Exception {
        final Path ids = Files.write(directory.resolve("ids"), parcels("run-0-0-0", "run-0-0-1"));
        final LedgerCheck check = LedgerCheck.before(List.of(ids));
        Files.write(
                ids,
                parcels("other-0-0-0", "run-0-0-0", "run-0-0-1", "run-1-2-0", "run-1-2-1"),
                StandardOpenOption.APPEND);

        assertTrue(check.compare(outcome(), 2, SENT, IDLE).exact());
    }

    @Test
    void withoutAFileEverythingIsLost() throws Exception {
        final LedgerCheck check = LedgerCheck.before(List.of(directory.resolve("missing")));

        assertEquals(4, check.compare(outcome(), 2, SENT, IDLE).lost());
    }

    @Test
    void aLedgerThatIsNotWaitedForIsNotExact() throws Exception {
        final Path ids = directory.resolve("ids");
        final LedgerCheck check = LedgerCheck.before(List.of(ids));
        Files.write(ids, parcels("run-0-0-0", "run-0-0-1", "run-1-2-0", "run-1-2-1"));

        final LedgerMetrics metrics = check.compare(outcome(), 2, SENT, ended());

        assertEquals(0, metrics.lost());
        assertFalse(metrics.exact());
    }

    @Test
    void aPacketThatTheSinkHasNotTakenYetIsNotLost() throws Exception {
        final Path ids = directory.resolve("ids");
        final LedgerCheck check = LedgerCheck.before(List.of(ids));
        Files.write(ids, parcels("run-0-0-0", "run-0-0-1", "run-1-2-0"));
        final AtomicInteger looks = new AtomicInteger();
        final BooleanSupplier atWork = () -> {
            if (looks.incrementAndGet() == LOOKS) {
                append(ids, parcels("run-1-2-1").getFirst());
            }
            return looks.get() < LOOKS;
        };

        final LedgerMetrics metrics =
                check.compare(outcome(), 2, SENT, new LedgerCheck.Wait(STILL, PATIENCE, () -> false, atWork, () -> {}));

        assertEquals(new LedgerMetrics(4, 4, 0, 0, 0, 0L, null, true), metrics);
    }

    @Test
    void whatIsMissingWhileTheServerIsAtWorkMayOnlyBeLate() throws Exception {
        final Path ids = directory.resolve("ids");
        final LedgerCheck check = LedgerCheck.before(List.of(ids));
        Files.write(ids, parcels("run-0-0-0", "run-0-0-1", "run-1-2-0"));
        final Duration patience = Duration.ofSeconds(1);

        final LedgerMetrics metrics = check.compare(
                outcome(), 2, SENT, new LedgerCheck.Wait(STILL, patience, () -> false, () -> true, () -> {}));

        assertEquals(new LedgerMetrics(4, 3, 1, 0, 0, 0L, null, false), metrics);
    }

    @Test
    void aDuplicateThatIsStillQueuedIsWaitedFor() throws Exception {
        final Path ids = directory.resolve("ids");
        final LedgerCheck check = LedgerCheck.before(List.of(ids));
        Files.write(ids, parcels("run-0-0-0", "run-0-0-1", "run-1-2-0", "run-1-2-1"));
        final AtomicInteger looks = new AtomicInteger();
        final BooleanSupplier penalized = () -> {
            if (looks.incrementAndGet() == LOOKS) {
                append(ids, parcels("run-1-2-1").getFirst());
            }
            return looks.get() < LOOKS;
        };

        final LedgerMetrics metrics = check.compare(
                outcome(), 2, SENT, new LedgerCheck.Wait(STILL, PATIENCE, () -> false, penalized, () -> {}));

        assertEquals(1, metrics.duplicated());
        assertEquals(0, metrics.lost());
    }

    @Test
    void aFlowFileThatTheSinkTakesAgainAfterAKillIsNeitherLostNorThereTwice() throws Exception {
        final List<String> lines = parcels("run-0-0-0", "run-0-0-1", "run-1-2-0", "run-1-2-1");
        final Path ids = directory.resolve("ids");
        final LedgerCheck check = LedgerCheck.before(List.of(ids));
        Files.write(ids, lines);
        append(ids, lines.getLast());

        assertEquals(new LedgerMetrics(4, 4, 0, 0, 0, 0L, null, true), check.compare(outcome(), 2, SENT, IDLE));
    }

    @Test
    void whatAnEarlierKillHasTornBelongsToNoRun() throws Exception {
        final List<String> lines = parcels("run-0-0-0", "run-0-0-1", "run-1-2-0", "run-1-2-1");
        final Path ids = Files.writeString(directory.resolve("ids"), torn(lines.getFirst()));
        final LedgerCheck check = LedgerCheck.before(List.of(ids));
        // A sink that is opened again ends the line first.
        Files.writeString(ids, "\n" + String.join("\n", lines) + "\n", StandardOpenOption.APPEND);

        assertTrue(check.compare(outcome(), 2, SENT, IDLE).exact());
    }

    @Test
    void aRecordThatIsTornIsNoLostPacketButALedgerThatSaysNothing() {
        final List<String> lines = parcels("run-0-0-0", "run-0-0-1", "run-1-2-0", "run-1-2-1");
        final String whole = String.join("\n", lines) + "\n";
        final String second = lines.get(1);
        for (final String damaged : List.of(
                torn(whole),
                whole.replace(second + "\n", torn(second)),
                whole.replace(second, "\0".repeat(second.length())),
                whole + "garbage\n",
                whole + "\n")) {
            assertNothingIsSaid(ids -> Files.writeString(ids, damaged, StandardOpenOption.APPEND), "can't be read");
        }
    }

    @Test
    void aLedgerThatIsShorterThanBeforeTheRunSaysNothing() {
        assertNothingIsSaid(ids -> Files.writeString(ids, "r"), "shorter than when the run began");
        assertNothingIsSaid(Files::delete, "shorter than when the run began");
    }

    @Test
    void theEndOfItsNifiMayTearTheLastRecord() throws Exception {
        final List<String> lines = parcels("run-0-0-0", "run-0-0-1", "run-1-2-0", "run-1-2-1");
        final Path ids = directory.resolve("ids");
        final LedgerCheck check = LedgerCheck.before(List.of(ids));
        Files.writeString(ids, torn(String.join("\n", lines)));

        final LedgerMetrics metrics = check.compare(outcome(), 2, SENT, ended());

        assertEquals(new LedgerMetrics(4, 3, 1, 0, 0, 0L, null, false), metrics);
    }

    private interface Damage {
        void to(Path ids) throws IOException;
    }

    private void assertNothingIsSaid(final Damage damage, final String reason) {
        final Path ids = directory.resolve("ids");
        final HarnessException refusal = assertThrows(HarnessException.class, () -> {
            Files.write(ids, parcels("other-0-0-0"));
            final LedgerCheck check = LedgerCheck.before(List.of(ids));
            damage.to(ids);
            check.compare(outcome(), 2, SENT, IDLE);
        });
        assertTrue(refusal.getMessage().contains(reason), refusal::getMessage);
        assertTrue(refusal.getMessage().contains("nothing is known"), refusal::getMessage);
    }

    private static String torn(final String text) {
        return text.substring(0, text.length() - 4);
    }

    private static LedgerCheck.Wait ended() {
        return new LedgerCheck.Wait(PATIENCE, PATIENCE, () -> true, () -> false, () -> {});
    }

    private List<String> parcels(final String... ids) {
        return Stream.of(ids)
                .map(id -> line(SENT.apply(PacketId.parse(id)), id))
                .toList();
    }

    private String line(final Parcel sent, final String id) {
        flowFiles++;
        return new Parcel(id, flowFiles, sent.bytes(), sent.content(), sent.attributes()).line();
    }

    private static void append(final Path ids, final String line) {
        try {
            Files.writeString(ids, line + System.lineSeparator(), StandardOpenOption.APPEND);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private LedgerMetrics check(final String... lines) throws Exception {
        final Path ids = directory.resolve("ids");
        final LedgerCheck check = LedgerCheck.before(List.of(ids));
        Files.write(ids, parcels(lines));
        return check.compare(outcome(), 2, SENT, IDLE);
    }

    /** Client 0 was acknowledged transaction 0, client 1 transaction 2. */
    private static LoadOutcome outcome() {
        final TransactionTimes times = new TransactionTimes();
        final LoadRecorder recorder = new LoadRecorder(new LoadSettings(
                2,
                3,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ofSeconds(1),
                LoadSettings.Shape.push(2, 10),
                LoadSettings.Connection.KEPT));
        final ClientStats first = new ClientStats(0, recorder);
        first.succeeded(0, times, false, 1, 0);
        final ClientStats second = new ClientStats(1, recorder);
        second.succeeded(2, times, false, 1, 0);
        return recorder.outcome("run", Instant.EPOCH, Duration.ofSeconds(1), List.of(first, second));
    }
}
