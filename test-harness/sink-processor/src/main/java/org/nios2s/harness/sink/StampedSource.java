// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.sink;

import java.util.Set;
import org.apache.nifi.annotation.behavior.InputRequirement;
import org.apache.nifi.annotation.behavior.InputRequirement.Requirement;
import org.apache.nifi.annotation.documentation.CapabilityDescription;
import org.apache.nifi.annotation.documentation.Tags;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.AbstractProcessor;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;

/**
 * A processor that makes one FlowFile at each trigger, with the time in an attribute, for an {@link ArrivalLog} elsewhere.
 * Its trigger runs on NiFi's timer-driven threads.
 */
@Tags({"source", "latency", "test"})
@InputRequirement(Requirement.INPUT_FORBIDDEN)
@CapabilityDescription("Creates an empty FlowFile with the time of its making in the attribute 'made.nanos'")
public class StampedSource extends AbstractProcessor {

    /** By the clock that all processes of a machine share. */
    static final String MADE_ATTRIBUTE = "made.nanos";

    static final Relationship SUCCESS = new Relationship.Builder()
            .name("success")
            .description("Every FlowFile that is made")
            .build();

    @Override
    public Set<Relationship> getRelationships() {
        return Set.of(SUCCESS);
    }

    @Override
    public void onTrigger(final ProcessContext context, final ProcessSession session) {
        final FlowFile flowFile =
                session.putAttribute(session.create(), MADE_ATTRIBUTE, Long.toString(System.nanoTime()));
        session.transfer(flowFile, SUCCESS);
    }
}
