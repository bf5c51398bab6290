// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import java.util.function.BooleanSupplier;

/**
 * The time and the packets that a call leaves to one of its attempts. Immutable; any thread.
 *
 * @param calledNanos when the call began, by {@link System#nanoTime}: its deadline counts from there
 * @param waitNanos how long the attempt may wait for a connection before the call gives up
 * @param mayGoElsewhere asked outside locks: whether the call can turn to another peer now
 */
public record AttemptBudget(long calledNanos, long waitNanos, BooleanSupplier mayGoElsewhere) {}
