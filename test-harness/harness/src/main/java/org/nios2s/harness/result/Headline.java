// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

/**
 * A figure that is shown large, and what it is. Immutable, any thread.
 */
public record Headline(String value, String caption) {}
