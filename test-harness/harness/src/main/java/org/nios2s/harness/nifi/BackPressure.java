// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

/**
 * From what on a queue makes its source wait; 0 means never. Immutable; any thread.
 *
 * @param flowFiles number of FlowFiles
 * @param bytes their contents' sizes, added
 */
public record BackPressure(long flowFiles, long bytes) {

    private static final long MANY_FLOW_FILES = 1_000_000;
    private static final long MANY_BYTES = 10_000_000_000L;

    /** So late that no experiment meets it unless its sink stands still. */
    public static BackPressure generous() {
        return new BackPressure(MANY_FLOW_FILES, MANY_BYTES);
    }
}
