// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.call;

import java.util.concurrent.CompletableFuture;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionResult;

/** A call that was begun. Any thread. */
public interface RunningCall {
    /** @return completed with the call's outcome; a caller that completes it ends the call */
    CompletableFuture<TransactionResult> result();

    /** @return attempts that have failed; those that found the destination full do not count */
    int failedAttempts();

    /** Takes no further attempt, and ends the one under way, which still says whether the peer has the packets. */
    void stop(FailureReason reason, String message);
}
