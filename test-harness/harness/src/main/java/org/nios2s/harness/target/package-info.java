// SPDX-License-Identifier: Apache-2.0
/**
 * Targets that are measured: a NiFi that the harness starts, a listener without NiFi, or a NiFi of somebody else. Called on the
 * command's thread. It knows neither the engine nor the analysis.
 */
package org.nios2s.harness.target;
