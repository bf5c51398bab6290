// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

/**
 * How much waits in a queue.
 * Immutable, for any thread.
 *
 * @param flowFiles number of FlowFiles
 * @param bytes their contents' sizes, added
 */
public record QueueSize(long flowFiles, long bytes) {}
