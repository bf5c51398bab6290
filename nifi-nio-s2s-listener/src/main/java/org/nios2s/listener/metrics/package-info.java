// SPDX-License-Identifier: Apache-2.0
/**
 * Counters, histograms and lists of peers, and their publication over JMX.
 *
 * <p>Every room may count, on any thread, without waiting. Readers come on threads of the JMX server. It knows nothing of NiFi.
 */
package org.nios2s.listener.metrics;
