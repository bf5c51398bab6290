// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import org.nios2s.harness.nifi.security.SecurityFiles;

/**
 * What is settled about a NiFi before it is configured.
 * Immutable, for any thread.
 *
 * @param httpPort of the REST API
 * @param s2sPort of RAW Site-to-Site
 * @param security its key stores, or null when it is not secured
 * @param cluster its place in a cluster, or null when it is standalone
 */
record NodePlan(int httpPort, int s2sPort, SecurityFiles security, ClusterMembership cluster) {}
