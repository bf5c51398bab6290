// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.sink;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.nifi.annotation.behavior.InputRequirement;
import org.apache.nifi.annotation.behavior.InputRequirement.Requirement;
import org.apache.nifi.annotation.behavior.TriggerSerially;
import org.apache.nifi.annotation.behavior.TriggerWhenEmpty;
import org.apache.nifi.annotation.documentation.CapabilityDescription;
import org.apache.nifi.annotation.documentation.Tags;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.expression.ExpressionLanguageScope;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.AbstractSessionFactoryProcessor;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.ProcessSessionFactory;
import org.apache.nifi.processor.util.StandardValidators;

/**
 * A processor that drops the FlowFiles of a {@link StampedSource} and notes how long each was on its way into the queue.
 * Its trigger runs on one of NiFi's timer-driven threads and keeps it, to look into the queue every fifth of a millisecond:
 * NiFi would trigger it only every ten milliseconds.
 */
@Tags({"sink", "latency", "test"})
@InputRequirement(Requirement.INPUT_REQUIRED)
@TriggerWhenEmpty
@TriggerSerially
@CapabilityDescription("Drops FlowFiles and writes the nanoseconds since 'made.nanos' of each to a line of a file")
public class ArrivalLog extends AbstractSessionFactoryProcessor {

    static final PropertyDescriptor FILE = new PropertyDescriptor.Builder()
            .name("File")
            .description("File that gets a line for each FlowFile; its directory is there")
            .required(true)
            .addValidator(StandardValidators.NON_BLANK_VALIDATOR)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    private static final long MAX_VISIT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final int BATCH = 100;

    @Override
    protected List<PropertyDescriptor> getSupportedPropertyDescriptors() {
        return List.of(FILE);
    }

    @Override
    public void onTrigger(final ProcessContext context, final ProcessSessionFactory sessions) {
        final ProcessSession session = sessions.createSession();
        final Path file = Path.of(context.getProperty(FILE).getValue());
        final long begin = System.nanoTime();
        while (isScheduled() && System.nanoTime() - begin < MAX_VISIT_NANOS) {
            final List<FlowFile> arrived = session.get(BATCH);
            if (arrived.isEmpty()) {
                LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            } else {
                note(file, arrived, System.nanoTime());
                session.remove(arrived);
                session.commit();
            }
        }
    }

    private static void note(final Path file, final List<FlowFile> arrived, final long nowNanos) {
        final StringBuilder lines = new StringBuilder();
        for (final FlowFile flowFile : arrived) {
            final long made = Long.parseLong(flowFile.getAttribute(StampedSource.MADE_ATTRIBUTE));
            lines.append(nowNanos - made).append('\n');
        }
        try {
            Files.writeString(file, lines, US_ASCII, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (final IOException e) {
            throw new UncheckedIOException("Arrivals could not be written to " + file, e);
        }
    }
}
