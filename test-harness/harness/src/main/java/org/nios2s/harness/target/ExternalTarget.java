// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import org.nios2s.harness.result.ObservedServer;

/** A server that somebody else runs, perhaps on another machine. Used on the command's thread. */
public record ExternalTarget(Target target) implements MeasuredTarget {

    /** Takes some seconds with the stock listener. */
    @Override
    public ObservedServer observe() {
        return ObservedServer.of(ListenerDetector.of(target));
    }
}
