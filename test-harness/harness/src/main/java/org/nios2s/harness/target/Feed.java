// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.load.PullLedger;
import org.nios2s.harness.load.Units;
import org.nios2s.harness.nifi.Deadline;
import org.nios2s.harness.result.RunResult.LedgerMetrics;

/**
 * An output port that a processor fills, with the ledger of those that pull from it. What was made is either still queued or
 * was received: what is neither is lost, what is both is there twice. Used on the thread of the
 * one load that pulls; clients enter the ledger on theirs.
 *
 * <p>Large contents are made before the run, small ones beside it.
 */
public final class Feed {

    /** Of contents, so that the disk does not fill up; at 2 GB/s they last for five seconds. */
    static final long MAX_QUEUED_BYTES = 10L << 30;

    /** A source that makes such contents beside the pulls takes more of the processors than they do. */
    private static final long LARGE_BYTES = 1L << 20;

    private static final Duration FILL_PATIENCE = Duration.ofMinutes(2);
    private static final Duration POLL = Duration.ofMillis(200);

    private final FlowFileSource source;
    private final Shape shape;
    private FeedBalance balance;
    private boolean continues;
    private boolean running;
    private long madeBefore;
    private long queuedBefore;

    Feed(final FlowFileSource source, final Shape shape) {
        this.source = source;
        this.shape = shape;
    }

    FlowFileSource source() {
        return source;
    }

    /** That of the run which was started last. */
    public PullLedger ledger() {
        return balance.ledger();
    }

    void start() {
        running = true;
        if (!continues) {
            // Nobody knows how the run before ended: what it left in the queue counts as never received.
            balance = new FeedBalance(shape);
        }
        continues = false;
        balance.begin();
        madeBefore = source.made();
        queuedBefore = source.queued();
        source.start(shape);
        if (isFilledBefore()) {
            fill();
        }
    }

    private boolean isFilledBefore() {
        return shape.size().largest() >= LARGE_BYTES;
    }

    private void fill() {
        final long wanted = MAX_QUEUED_BYTES / shape.size().largest();
        Deadline.after(FILL_PATIENCE)
                .until(
                        () -> "the source has made %d of %d FlowFiles to be pulled".formatted(source.queued(), wanted),
                        () -> source.queued() >= wanted);
        source.stop();
    }

    /** A rate of clients that found nothing to pull is none of the listener. */
    public void requireLeftOver() {
        if (isFilledBefore() && source.queued() == 0) {
            throw new HarnessException(
                    "The clients have pulled all of the %s that were made before the run: make it shorter with --duration"
                            .formatted(Units.text(MAX_QUEUED_BYTES)));
        }
    }

    /** From now on nothing more is made. */
    public void stop() {
        if (running) {
            running = false;
            source.stop();
        }
    }

    /**
     * Once it is stopped, compares what left the port with what clients received, when both agree or nothing changes for a
     * while.
     *
     * @param still    a difference that stays the same for so long is one
     * @param patience the longest wait
     */
    public LedgerMetrics settle(final Duration still, final Duration patience, final BooleanSupplier giveUp)
            throws InterruptedException {
        final long made = source.made() - madeBefore;
        final Deadline deadline = Deadline.after(patience);
        Deadline quiet = Deadline.after(still);
        long difference = balance.after(left(made));
        while (difference != 0 && !quiet.passed() && !deadline.passed() && !giveUp.getAsBoolean()) {
            Thread.sleep(POLL);
            final long now = balance.after(left(made));
            if (now != difference) {
                difference = now;
                quiet = Deadline.after(still);
            }
        }
        continues = difference == 0 || quiet.passed();
        return balance.count(difference, continues);
    }

    /** FlowFiles that have left the port in this run. */
    private long left(final long made) {
        return queuedBefore + made * shape.packets() - source.queued();
    }
}
