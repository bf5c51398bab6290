// SPDX-License-Identifier: Apache-2.0
/**
 * The NIO client: thousands of concurrent RAW Site-to-Site transactions on a handful of threads.
 *
 * <p>Begin with {@link org.nios2s.client.NioSiteToSite#builder}, one per NiFi and JVM. Its
 * {@link org.nios2s.client.InputPort}s take {@link org.nios2s.client.Packet}s, singly, by the list, gathered by a
 * {@link org.nios2s.client.BatchingSender}, or joined from records by a {@link org.nios2s.client.RecordSender}; its {@link org.nios2s.client.OutputPort}s give them, once or to a
 * {@link org.nios2s.client.BatchReceiver}. Every failure is a {@link org.nios2s.client.TransactionException}.
 */
@NullMarked
package org.nios2s.client;

import org.jspecify.annotations.NullMarked;
