// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wan;

import java.util.OptionalLong;

/**
 * Cuts what one end of a connection writes into segments, and says when each arrives at the other. For one thread.
 *
 * <p>Without TCP_NODELAY a sender holds back less than a full segment while another such part is not acknowledged: Nagle's algorithm
 * (RFC 896) with Minshall's modification, which Linux has. An acknowledgement comes by return here.
 */
final class Segmenter {

    /** Takes the next bytes that were written, in their order. */
    interface Sink {

        /** Sends so many bytes, which arrive together. */
        void send(int length, long dueNanos);
    }

    private final SegmentTimes times;
    private final boolean tcpNoDelay;
    /** Bytes that were written and not sent, fewer than a segment. */
    private int held;
    /** When the sender hears that its last part of a segment has arrived. */
    private long partAcknowledgedNanos;

    Segmenter(final SegmentTimes times, final boolean tcpNoDelay, final long nowNanos) {
        this.times = times;
        this.tcpNoDelay = tcpNoDelay;
        this.partAcknowledgedNanos = nowNanos;
    }

    /** Sends what a write of so many bytes makes possible. */
    void write(final int bytes, final long nowNanos, final Sink sink) {
        held += bytes;
        int together = 0;
        long dueNanos = 0;
        while (held >= SegmentTimes.SEGMENT_BYTES) {
            final long nextNanos = times.arrivalNanos(nowNanos);
            if (together > 0 && nextNanos != dueNanos) {
                sink.send(together, dueNanos);
                together = 0;
            }
            dueNanos = nextNanos;
            together += SegmentTimes.SEGMENT_BYTES;
            held -= SegmentTimes.SEGMENT_BYTES;
        }
        if (together > 0) {
            sink.send(together, dueNanos);
        }
        acknowledge(nowNanos, sink);
    }

    /** Sends a part of a segment, unless the one before is still on its way. */
    void acknowledge(final long nowNanos, final Sink sink) {
        if (held > 0 && (tcpNoDelay || nowNanos - partAcknowledgedNanos >= 0)) {
            sendPart(nowNanos, sink);
        }
    }

    /** Sends what is left, with the end of the stream. */
    void end(final long nowNanos, final Sink sink) {
        if (held > 0) {
            sendPart(nowNanos, sink);
        }
    }

    /** When something arrives that carries no bytes and is sent now: the end of the stream, or a reset. */
    long arrivalNanos(final long nowNanos) {
        return times.arrivalNanos(nowNanos);
    }

    private void sendPart(final long nowNanos, final Sink sink) {
        final long dueNanos = times.arrivalNanos(nowNanos);
        partAcknowledgedNanos = times.acknowledgedNanos(dueNanos);
        final int length = held;
        held = 0;
        sink.send(length, dueNanos);
    }

    /** Until when bytes are held back; empty if none are. */
    OptionalLong heldUntilNanos() {
        return held > 0 ? OptionalLong.of(partAcknowledgedNanos) : OptionalLong.empty();
    }
}
