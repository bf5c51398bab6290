// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a run may be told to do, when its transactions begin, how its packets are named. Runs on the test's thread. */
class LoadSettingsTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    @Test
    void impossibleNumbersAreNamed() {
        assertRefused("clients must be between 1 and 60000, not 0", 0, 1, Duration.ZERO, 5, 10);
        assertRefused("transactions must be between 0 and 10000000, not -1", 1, -1, Duration.ZERO, 5, 10);
        assertRefused("packets must be between 1 and 1000000, not 0", 1, 1, Duration.ZERO, 0, 10);
        assertRefused("nothing to do", 1, LoadSettings.UNLIMITED, Duration.ZERO, 5, 10);
        assertRefused("duration must be between 0 and 24 h, not PT-1S", 1, 1, Duration.ofSeconds(-1), 5, 10);
    }

    @Test
    void aPacedClientThatIsLateKeepsItsSchedule() {
        final RunPlan plan = new RunPlan(settings(3, 5, Duration.ZERO, Duration.ofSeconds(1)), 0);

        assertEquals(2 * Duration.ofMillis(10).toNanos(), plan.clientStart(2));
        assertEquals(
                plan.clientStart(2) + 3 * SECOND,
                plan.intendedStart(plan.clientStart(2) + 3 * plan.gap(2, 0), 100 * SECOND));
    }

    @Test
    void flatOutTheNextTransactionBeginsNow() {
        final RunPlan plan = new RunPlan(settings(3, 5, Duration.ZERO, Duration.ZERO), 0);

        assertEquals(SECOND, plan.intendedStart(plan.clientStart(2), SECOND));
        assertEquals(plan.clientStart(2), plan.intendedStart(plan.clientStart(2), 0));
    }

    @Test
    void theFirstOfTransactionsAndDurationEndsTheRun() {
        final RunPlan plan = new RunPlan(settings(1, 5, Duration.ofSeconds(2), Duration.ZERO), 0);

        assertTrue(plan.includes(4, SECOND, SECOND));
        assertEquals(false, plan.includes(5, SECOND, SECOND));
        assertEquals(false, plan.includes(4, 2 * SECOND, 2 * SECOND));
    }

    @Test
    void aPacketIdIsReadBackForItsOwnRunOnly() {
        final PacketId id = new PacketId("r1", 2, 30, 4);

        assertEquals("r1-2-30-4", id.toString());
        assertEquals(id, PacketId.parse("r1-2-30-4"));
        assertNull(PacketId.parse("r1-2-30"));
        assertNull(PacketId.parse("r1-2-30-x"));
        assertNull(PacketId.parse("r1-2-30-4-"));
        assertNull(PacketId.parse("r1"));
    }

    @Test
    void tooFewOpenFilesAreRefusedWithTheNumbers() {
        final IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> MachineLimits.checkFiles(5_000, 1, 1_024, 24));

        assertTrue(refusal.getMessage().contains("need about 5224 open files, this process may have 1024"));
        assertTrue(refusal.getMessage().contains("ulimit -n 5224"));
    }

    @Test
    void causesThatDifferOnlyInAddressesCountAsOne() {
        assertEquals(
                FailureCause.of("connecting", "Connection refused: /127.0.0.1:20431"),
                FailureCause.of("connecting", "Connection refused: /127.0.0.1:998"));
    }

    @Test
    void aMixOfSizesIsTheSameInEveryRunAndKeepsItsShares() {
        final SizeMix mix = SizeMix.parse("70%10b+25%1k+5%100k");
        final int[] counts = new int[3];
        for (int packet = 0; packet < 1_000; packet++) {
            counts[mix.shareOf(3, 5, packet)]++;
        }

        assertEquals(700, counts[0]);
        assertEquals(250, counts[1]);
        assertEquals(50, counts[2]);
        assertEquals("70%10b+25%1k+5%100k", mix.toString());
        assertEquals(102_400, mix.largest());
        assertEquals(SizeMix.of(10), SizeMix.parse("10"));
        assertThrows(IllegalArgumentException.class, () -> SizeMix.parse("70%10b+25%1k"));
        assertThrows(IllegalArgumentException.class, () -> SizeMix.parse("ten"));
    }

    @Test
    void attributesAreAddedToThePacketsId() {
        final LoadSettings.Shape shape =
                new LoadSettings.Shape(LoadSettings.Direction.PUSH, 2, SizeMix.parse("50%1b+50%3b"), 2, 4, false);
        final PacketFactory packets = new PacketFactory("r", shape);

        assertEquals(3, packets.attributes(0, 0, 1).size());
        assertEquals(4, packets.attributes(0, 0, 1).get("attribute.2").length());
        assertEquals(packets.content(0, 0, 0).length + packets.content(0, 0, 1).length, packets.bytes(0, 0));
    }

    private static void assertRefused(
            final String message,
            final int clients,
            final int transactions,
            final Duration duration,
            final int packets,
            final int size) {
        final Duration second = Duration.ofSeconds(1);
        final IllegalArgumentException refusal = assertThrows(
                IllegalArgumentException.class,
                () -> new LoadSettings(
                        clients,
                        transactions,
                        duration,
                        second,
                        second,
                        second,
                        LoadSettings.Shape.push(packets, size),
                        LoadSettings.Connection.KEPT));
        assertTrue(refusal.getMessage().contains(message), refusal.getMessage());
    }

    private static LoadSettings settings(
            final int clients, final int transactions, final Duration duration, final Duration interval) {
        return new LoadSettings(
                clients,
                transactions,
                duration,
                interval,
                Duration.ofMillis(10),
                Duration.ofSeconds(60),
                LoadSettings.Shape.push(5, 10),
                LoadSettings.Connection.KEPT);
    }
}
