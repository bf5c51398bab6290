// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.time.Duration;
import java.util.function.Predicate;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;
import org.nios2s.client.internal.call.CallRequest;
import org.nios2s.client.internal.call.RunningCall;

/** What a batching sender sends to. Immutable; any thread. */
interface BatchTarget {
    /** @return what is configured, for errors */
    String name();

    CallRequest sending(Predicate<TransactionException> repeatable, CallRequest.AttemptStarter starter);

    RunningCall run(CallRequest request);

    /** @return how long a packet may wait, its attempts included; {@link Long#MAX_VALUE} for ever */
    long longestNanos();

    /** @return how long a close waits by itself */
    Duration closeTimeout();

    int maxAttempts();

    /** @return whether the policy lets what failed so be sent once more */
    boolean allowsAnother(int failedAttempts, TransactionException failure);

    /** @return a failure of no peer */
    TransactionException failure(FailureReason reason, String message, Throwable cause);
}
