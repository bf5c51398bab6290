// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

/** How long each fuzz test looks for new inputs in one run; what it has found so far, the next run starts from. */
final class FuzzTime {
    static final String OF_A_DECODER = "10s";

    private FuzzTime() {}
}
