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
package org.nios2s.harness.sink;

import org.apache.nifi.annotation.behavior.InputRequirement;
import org.apache.nifi.annotation.behavior.InputRequirement.Requirement;
import org.apache.nifi.annotation.documentation.CapabilityDescription;
import org.apache.nifi.annotation.documentation.Tags;
import org.apache.nifi.processor.AbstractProcessor;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;

/**
 * A processor that does nothing but count how often it is triggered: it tells how much of the pool of threads others leave.
 * Its trigger runs on NiFi's timer-driven threads.
 */
@Tags({"counter", "test"})
@InputRequirement(Requirement.INPUT_FORBIDDEN)
@CapabilityDescription("Counts its triggers in NiFi's counter 'triggers'")
public class TriggerCounter extends AbstractProcessor {

    private static final String COUNTER = "triggers";

    @Override
    public void onTrigger(final ProcessContext context, final ProcessSession session) {
        session.adjustCounter(COUNTER, 1, true);
    }
}
