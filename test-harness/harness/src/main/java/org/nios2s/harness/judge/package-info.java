// SPDX-License-Identifier: Apache-2.0
/**
 * What runs say: figures, ratios of pairs, growth, what to beware of, and whether rules hold. Nothing here measures.
 */
package org.nios2s.harness.judge;
