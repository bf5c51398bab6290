/**
 * The NIO client: thousands of concurrent RAW Site-to-Site transactions on a handful of threads.
 *
 * <p>Begin with {@link org.nios2s.client.SiteToSiteConnector}, one per JVM. A {@link org.nios2s.client.RemotePort} names
 * where to, a {@link org.nios2s.client.Packet} what; every failure is a
 * {@link org.nios2s.client.TransactionException}.
 */
package org.nios2s.client;
