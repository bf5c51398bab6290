// SPDX-License-Identifier: Apache-2.0
/**
 * The meeting of transactions and port tasks: the queue of requests, the triggers that bring port tasks, group commits, and the room
 * in the destination.
 *
 * <p>The steps submit transactions, on IO workers; NiFi's port tasks take them, on NiFi's threads; dispatcher threads wait in the
 * port. A {@code ProcessSession} is touched here and in {@link org.nios2s.listener.transaction}, and nowhere else.
 */
package org.nios2s.listener.port;
