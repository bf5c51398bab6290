// SPDX-License-Identifier: Apache-2.0
/**
 * The report that one looks at: a page that holds everything it needs, made from results. Arrows point one way: report → analysis → result.
 */
package org.nios2s.harness.report;
