// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.scenario;

/**
 * A NiFi that a command measures, for as long as it is open. For one thread at a time.
 */
public interface MeasuredNifi extends AutoCloseable {

    /**
     * What to measure.
     *
     * @return this NiFi as a target
     */
    Target target();

    /** Ends what was begun for the measurement: stops a NiFi that was started for it, leaves any other as it was. */
    @Override
    void close();

    /**
     * A NiFi that somebody else runs: only the load touches it.
     *
     * @param target where it is
     * @return that NiFi
     */
    static MeasuredNifi foreign(final Target target) {
        return new MeasuredNifi() {
            @Override
            public Target target() {
                return target;
            }

            @Override
            public void close() {
                // Nothing was begun.
            }
        };
    }
}
