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

import org.nios2s.harness.HarnessException;
import org.nios2s.harness.scenario.LoadScenario.Measured;

/**
 * A run that broke because its server ended; it holds what was measured until then. Thrown on the scenario's thread.
 */
public final class BrokenRunException extends HarnessException {

    private static final long serialVersionUID = 1L;

    private final transient Measured measured;

    /**
     * A broken run.
     *
     * @param message  what broke, for the user
     * @param measured what was measured until then
     */
    public BrokenRunException(final String message, final Measured measured) {
        super(message);
        this.measured = measured;
    }

    /**
     * What was measured until then.
     *
     * @return figures of a part
     */
    public Measured measured() {
        return measured;
    }
}
