// SPDX-License-Identifier: Apache-2.0
/**
 * The results of runs, and how they are kept: result.json, the CSV of 2019 with its index, latency logs.
 *
 * <p>By hand: the table of plain text, which has to be Markdown at the same time, and the CSV, whose cells need no quotes.
 */
package org.nios2s.harness.result;
