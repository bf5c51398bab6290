// SPDX-License-Identifier: Apache-2.0
/**
 * The meaning of runs: metrics, ratios of pairs, trends, warnings, and whether thresholds are crossed. Nothing here measures.
 */
package org.nios2s.harness.analysis;
