/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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
