// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

/**
 * A FlowFile that waits in a queue.
 * Immutable, for any thread.
 *
 * @param uuid its id
 * @param filename its attribute of that name
 * @param size size of its content
 * @param clusterNodeId the node that has it, or null when NiFi is not a cluster
 */
public record QueuedFlowFile(String uuid, String filename, long size, String clusterNodeId) {}
