// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import java.util.List;

/**
 * A threshold of an experiment, and what its runs say to it. Immutable, any thread.
 *
 * @param threshold the threshold
 * @param crossed   where it is crossed, in words; empty when it is not
 * @param checked   whether any run had what it is about
 */
public record Gate(Threshold threshold, List<String> crossed, boolean checked) {

    public Gate {
        crossed = List.copyOf(crossed);
    }
}
