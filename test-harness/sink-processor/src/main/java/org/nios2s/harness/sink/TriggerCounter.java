// SPDX-License-Identifier: Apache-2.0
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
