// SPDX-License-Identifier: Apache-2.0
/**
 * Transactions as port tasks and connections share them: FlowFiles received or sent, in memory or streamed, and the sessions that
 * belong to one transaction.
 *
 * <p>{@code push} and {@code pull} fill them on IO workers, {@code port} commits them on port tasks, and content workers read
 * and write their contents. Each class says which of these threads it allows, and how it passes from one to the next.
 */
package org.nios2s.listener.transaction;
