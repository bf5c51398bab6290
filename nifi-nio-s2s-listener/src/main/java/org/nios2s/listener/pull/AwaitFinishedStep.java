// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.pull;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.wire.ResponseMessage;

/**
 * The peer says that it has committed the FlowFiles. Lives on the connection's IO worker.
 *
 * <p>This is no {@code TransactionStep}: the peer may have the FlowFiles already, so a stopped port or a slow peer alone does not
 * end it.
 *
 * <p>The peer has half a minute, as much as NiFi's client gives itself, before it is cut off because
 * its port has stopped, or because others wait for what it holds.
 *
 * @param beganNanos when the peer was told that the checksum is right
 */
record AwaitFinishedStep(Pull pull, long beganNanos) implements Step {
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(30);

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        final ResponseMessage finish = ResponseMessage.readIfComplete(in);
        if (finish == null) {
            return this;
        }
        return switch (finish.code()) {
            case TRANSACTION_FINISHED, TRANSACTION_FINISHED_BUT_DESTINATION_FULL -> new CommitPullStep(pull).commit();
            default -> throw Step.unexpected(finish, "transaction finished");
        };
    }

    @Override
    public void checkDeadline(final long nowNanos) throws ConnectionFault {
        if (nowNanos - beganNanos >= GRACE_NANOS && !pull.connection().isPortRunning()) {
            throw Kind.PORT_NOT_RUNNING.fault(
                    pull.connection().port() + " was stopped, and the peer has not finished its transaction for "
                            + TimeUnit.NANOSECONDS.toSeconds(GRACE_NANOS) + " s");
        }
    }

    /** Until then the time is for the peer's own commit. */
    @Override
    public boolean isPeersTurn() {
        return pull.connection().clock().nanoTime() - beganNanos >= GRACE_NANOS;
    }

    /** The peer may have the FlowFiles already. */
    @Override
    public boolean isEvictable() {
        return false;
    }

    @Override
    public void abandon() {
        pull.connection()
                .reportPossibleDuplicates(
                        pull.transaction().flowFilesSent(),
                        "The peer confirmed a transaction and did not finish it; it is rolled back");
        pull.abandon();
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.WITHIN_REQUEST;
    }
}
