// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

/**
 * What else the machine did during a run. Immutable, any thread.
 *
 * @param foreignPercent processor time of processes that are neither the server nor the generator, in percent of one
 *                       processor
 * @param stolenPercent  processor time that the machine's host gave to others, likewise
 */
public record Disturbance(double foreignPercent, double stolenPercent) {}
