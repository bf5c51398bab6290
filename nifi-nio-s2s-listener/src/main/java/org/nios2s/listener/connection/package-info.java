// SPDX-License-Identifier: Apache-2.0
/**
 * The machinery of every connection: the walk along its steps, reading and its pauses, deadlines, and the end of the connection.
 *
 * <p>The root package makes a {@link org.nios2s.listener.connection.MessageSequenceHandler} for each accepted connection; the
 * rooms {@code protocol}, {@code push} and {@code pull} implement {@link org.nios2s.listener.connection.Step}. A connection
 * belongs to one IO worker, on which all of this runs. Other threads call only {@code WaitingStep.proceed} and {@code fail},
 * and {@code MessageSequenceHandler.fail} and {@code evict}.
 */
package org.nios2s.listener.connection;
