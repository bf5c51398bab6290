/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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
