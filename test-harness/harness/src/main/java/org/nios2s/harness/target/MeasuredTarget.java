// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import java.util.Optional;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.result.ObservedServer;

/**
 * The measured target, until it is closed: a NiFi of its own, a listener without one, or, with no
 * more than a target, one that somebody else runs. Used on the command's thread.
 */
@FunctionalInterface
public interface MeasuredTarget extends AutoCloseable {

    /** Where a push goes. */
    Target target();

    /** The NiFi whose flow may be changed for a measurement. */
    default NifiNode node() {
        throw new HarnessException(
                "This needs a NiFi that the harness starts, and %s is none".formatted(target().name()));
    }

    /** The server that serves there at this moment. */
    default ObservedServer observe() {
        return ObservedServer.of(ObservedServer.UNKNOWN);
    }

    /** Where a pull comes from; it has FlowFiles of this shape until its {@link #feed} is stopped. */
    default Target startSource(final Shape shape) {
        return target();
    }

    /** The source of such a pull; empty where an output port is somebody else's to fill. */
    default Optional<Feed> feed(final Shape shape) {
        return Optional.empty();
    }

    /** Whether FlowFiles are on their way to the sink; false where nobody can tell. */
    default boolean hasQueuedFlowFiles() {
        return false;
    }

    @Override
    default void close() {
        // Nothing was begun.
    }
}
