// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

/**
 * A figure that stands large at the top of the report. Immutable, any thread.
 *
 * @param value   the figure with its unit, such as {@code 2.4 ×}
 * @param caption what it is
 */
public record Headline(String value, String caption) {}
