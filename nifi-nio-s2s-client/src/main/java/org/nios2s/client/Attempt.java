// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.util.concurrent.CompletableFuture;

/** One try of a call with one peer. Any thread. */
interface Attempt {
    /** @return completed where nothing may block */
    CompletableFuture<TransactionResult> result();

    /** Ends it from outside; its result says in which step that was. */
    void stop(FailureReason reason, String message);
}
