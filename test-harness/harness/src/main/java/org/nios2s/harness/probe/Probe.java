// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.util.Map;
import org.nios2s.harness.load.LoadOutcome;

/** Something that is measured beside a load. Used on the command's thread, once for each measurement. */
public interface Probe extends AutoCloseable {

    /** Before the load begins; nothing else happens at the server. */
    default void before(final Map<String, Double> metrics) throws InterruptedException {}

    /** When the load has ended; {@code outcome} is what its clients did. */
    default void after(final LoadOutcome outcome, final Map<String, Double> metrics) throws InterruptedException {}

    @Override
    default void close() {}
}
