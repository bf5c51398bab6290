// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.nios2s.client.RecordSender;

/**
 * Sends the lines of a stream, joined to FlowFiles. A thread of its own reads, and waits while too much is pending; so the stream waits,
 * too. The main thread waits for the end of the stream or for the first failure.
 *
 * <p>A signal ends the reading. Each whole line that was read by then is sent, and so is a line without a newline at the end of the
 * stream. What was not delivered is counted.
 */
final class LineSender {
    /** A process that is told to end is killed if it takes long: by Docker after 10 seconds. */
    private static final Duration AFTER_SIGNAL = Duration.ofSeconds(8);

    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);
    private static final Duration FOR_FUTURES = Duration.ofSeconds(1);

    private enum State {
        /** The reader waits for the stream, and holds no whole line. */
        READING,
        /** The reader has lines. */
        SENDING,
        OVER
    }

    private final InputStream in;
    private final RecordSender sender;
    private final LineCutter lines;
    private final LineTally tally;
    /** All of these are guarded by this object. */
    private State state = State.SENDING;

    /** A part of a line was read, and its end was not. */
    private boolean partRead;

    private boolean partLeft;
    private boolean stopping;

    /** @param maxBytes of a line without its newline */
    LineSender(final InputStream in, final RecordSender sender, final int maxBytes, final LineTally tally) {
        this.in = in;
        this.sender = sender;
        this.lines = new LineCutter(this::read, maxBytes);
        this.tally = tally;
    }

    Outcome run() throws InterruptedException {
        final Thread atSignal = new Thread(this::endAtSignal, "s2s-signal");
        Runtime.getRuntime().addShutdownHook(atSignal);
        final Thread reader = new Thread(this::sendAll, "s2s-lines");
        reader.setDaemon(true);
        reader.start();
        end(FOR_EVER);
        try {
            Runtime.getRuntime().removeShutdownHook(atSignal);
        } catch (final IllegalStateException e) {
            // It runs already, and ends the process.
        }
        return tally.outcome();
    }

    private void sendAll() {
        try {
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                send(line);
            }
            sendRest();
        } catch (final IOException | RuntimeException e) {
            tally.complain(e.getMessage());
            leaveRest();
        } finally {
            enter(State.OVER);
        }
    }

    /** The line at the end of the stream may have no newline; where something else ended the reading it is a part of one. */
    private void sendRest() throws IOException {
        if (isStopping()) {
            leaveRest();
            return;
        }
        final byte[] rest = lines.rest();
        if (rest.length > 0) {
            send(rest);
        }
    }

    private synchronized void leaveRest() {
        partRead = lines.rest().length > 0;
        leavePart();
    }

    private void send(final byte[] line) throws IOException {
        tally.read();
        sender.send(line).whenComplete((done, failure) -> {
            if (failure == null) {
                tally.delivered(line.length + 1);
            } else {
                tally.failed(failure);
                stop();
            }
        });
    }

    /** What comes after the order to stop was not read by then. */
    private int read(final byte[] buffer) throws IOException {
        if (!beginReading()) {
            return -1;
        }
        final int read = in.read(buffer);
        return endReading() ? read : -1;
    }

    private synchronized boolean beginReading() {
        if (stopping) {
            return false;
        }
        partRead = lines.hasBegun();
        enter(State.READING);
        return true;
    }

    private synchronized boolean endReading() {
        if (stopping) {
            return false;
        }
        partRead = false;
        enter(State.SENDING);
        return true;
    }

    private synchronized void enter(final State next) {
        state = next;
        notifyAll();
    }

    /** Counts it once; the reader may wait for its end for ever. */
    private synchronized void leavePart() {
        if (partRead && !partLeft) {
            partLeft = true;
            tally.leftOut();
        }
    }

    private synchronized boolean isStopping() {
        return stopping;
    }

    private synchronized void stop() {
        stopping = true;
        notifyAll();
    }

    /** @return the time that is left when the reader has no more lines */
    private synchronized long awaitReader(final long longest) throws InterruptedException {
        final long deadline = System.nanoTime() + longest;
        long left = longest;
        while (left > 0 && state != State.OVER && !(stopping && state == State.READING)) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = deadline - System.nanoTime();
        }
        return Math.max(0, left);
    }

    private void end(final Duration max) throws InterruptedException {
        final long left = awaitReader(TimeUnit.NANOSECONDS.convert(max));
        leavePart();
        sender.close(Duration.ofNanos(left));
        // One that waited for room goes through the lines that it has, which are refused now.
        awaitReader(FOR_FUTURES.toNanos());
        tally.awaitAll(FOR_FUTURES);
        tally.tell();
    }

    /** The exit code is that of the signal, unless something was not delivered. */
    private void endAtSignal() {
        stop();
        try {
            end(AFTER_SIGNAL);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (tally.outcome() != Outcome.DONE) {
            Runtime.getRuntime().halt(tally.outcome().exitCode());
        }
    }
}
