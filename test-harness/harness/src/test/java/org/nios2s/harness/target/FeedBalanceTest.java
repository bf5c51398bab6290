// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.load.PacketFactory;
import org.nios2s.harness.load.PacketId;
import org.nios2s.harness.result.RunResult.LedgerMetrics;
import org.nios2s.harness.sink.Parcel;

/** FlowFiles that left the queue of an output port against received packets. Runs on the test's thread. */
class FeedBalanceTest {

    private static final Shape SHAPE = Shape.push(1, 10).ofOneSize();

    private final FeedBalance balance = new FeedBalance(SHAPE);

    @Test
    void aPacketThatWasRolledBackIsCountedInTheRunThatReceivedIt() {
        assertEquals(new LedgerMetrics(1, 1, 0, 1, 0, 0L, null, true), run(0, packet(0)));
        assertEquals(new LedgerMetrics(2, 1, 0, 0, 0, 0L, null, true), run(2, packet(0), packet(1)));
    }

    @Test
    void aLostPacketThatAnotherOutweighedIsCountedInTheNextRun() {
        assertEquals(new LedgerMetrics(1, 1, 0, 0, 0, 0L, null, true), run(1, packet(0)));
        assertEquals(new LedgerMetrics(1, 0, 1, 1, 0, 0L, null, true), run(1, packet(0)));
    }

    @Test
    void noPacketIsLostInTwoRuns() {
        assertEquals(1, run(2, packet(0)).lost());
        assertEquals(0, run(0, packet(1)).lost());

        final LedgerMetrics metrics = run(1, packet(1));
        assertEquals(0, metrics.lost());
        assertEquals(1, metrics.duplicated());
        assertEquals(1, run(1).lost());
    }

    @Test
    void aPacketWithoutAnIdIsDamagedAndNothingElse() {
        final Parcel nameless = Parcel.of(Map.of(), new byte[0]);

        assertEquals(
                new LedgerMetrics(2, 1, 0, 0, 0, 1L, "a packet has lost its id", true), run(2, packet(0), nameless));
        assertEquals(new LedgerMetrics(1, 1, 0, 0, 0, 0L, null, true), run(1, packet(1)));
    }

    /** A run in which so many FlowFiles leave the queue and clients receive these packets. */
    private LedgerMetrics run(final long left, final Parcel... received) {
        balance.begin();
        balance.ledger().enter(Stream.of(received).toList());
        return balance.count(balance.after(left), true);
    }

    private static Parcel packet(final int transaction) {
        return new PacketFactory("run", SHAPE).parcel(new PacketId("run", 0, transaction, 0));
    }
}
