// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.sink;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.apache.nifi.annotation.behavior.InputRequirement;
import org.apache.nifi.annotation.behavior.InputRequirement.Requirement;
import org.apache.nifi.annotation.documentation.CapabilityDescription;
import org.apache.nifi.annotation.documentation.Tags;
import org.apache.nifi.annotation.lifecycle.OnScheduled;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.components.Validator;
import org.apache.nifi.expression.ExpressionLanguageScope;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.AbstractSessionFactoryProcessor;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.ProcessSessionFactory;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.processor.util.StandardValidators;

/**
 * A processor that makes the FlowFiles of Site-to-Site transactions out of nothing, as fast as the repositories take
 * them, to be pulled.
 * Its trigger runs on NiFi's timer-driven threads; each keeps its thread for a while, as a busy port does.
 */
@Tags({"source", "test"})
@InputRequirement(Requirement.INPUT_FORBIDDEN)
@CapabilityDescription("Creates FlowFiles with the attributes, content and provenance of received transactions,"
        + " a number of transactions in each commit")
public class PacketSource extends AbstractSessionFactoryProcessor {

    static final PropertyDescriptor RUN = new PropertyDescriptor.Builder()
            .name("Run")
            .description("First part of the packet ids")
            .required(true)
            .defaultValue("made")
            .addValidator(StandardValidators.NON_BLANK_VALIDATOR)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor TRANSACTIONS = number(
            "Transactions per Commit",
            "Transactions whose FlowFiles are committed together",
            "1",
            StandardValidators.POSITIVE_INTEGER_VALIDATOR);

    static final PropertyDescriptor PACKETS =
            number("Packets", "FlowFiles of a transaction", "5", StandardValidators.POSITIVE_INTEGER_VALIDATOR);

    static final PropertyDescriptor PACKET_SIZE = number(
            "Packet Size",
            "Bytes of content of each FlowFile",
            "10",
            StandardValidators.NON_NEGATIVE_INTEGER_VALIDATOR);

    static final PropertyDescriptor ATTRIBUTES = number(
            "Attributes",
            "Attributes of each FlowFile beside its packet id",
            "0",
            StandardValidators.NON_NEGATIVE_INTEGER_VALIDATOR);

    static final PropertyDescriptor ATTRIBUTE_SIZE = number(
            "Attribute Size", "Characters of each of them", "0", StandardValidators.NON_NEGATIVE_INTEGER_VALIDATOR);

    static final Relationship SUCCESS = new Relationship.Builder()
            .name("success")
            .description("Every FlowFile that is made")
            .build();

    /** As long as the NIO listener keeps the thread of a port in one go. */
    static final long MAX_VISIT_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    /** Counts transactions, to be compared with what arrives elsewhere. */
    private static final String MADE = "made";

    private static final String HOST_ATTRIBUTE = "s2s.host";
    private static final String ADDRESS_ATTRIBUTE = "s2s.address";
    private static final String HOST = "localhost";
    private static final String PEER = HOST + ":50000";
    private static final String TRANSIT_URI = "nifi://" + PEER;
    private static final String DETAILS = "Remote Host=" + HOST + ", Remote DN=none";
    private static final long TRANSFER_MILLIS = 0;

    private final LongSupplier nanoClock;
    private final AtomicInteger transaction = new AtomicInteger();
    private volatile String run;
    private volatile int transactions;
    private volatile int packets;
    private volatile int size;
    private volatile int attributes;
    private volatile int attributeSize;

    public PacketSource() {
        this(System::nanoTime);
    }

    PacketSource(final LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    @Override
    protected List<PropertyDescriptor> getSupportedPropertyDescriptors() {
        return List.of(RUN, TRANSACTIONS, PACKETS, PACKET_SIZE, ATTRIBUTES, ATTRIBUTE_SIZE);
    }

    @Override
    public Set<Relationship> getRelationships() {
        return Set.of(SUCCESS);
    }

    /** Reads the settings and numbers transactions from the start. */
    @OnScheduled
    public void prepare(final ProcessContext context) {
        run = context.getProperty(RUN).getValue();
        transactions = context.getProperty(TRANSACTIONS).asInteger();
        packets = context.getProperty(PACKETS).asInteger();
        size = context.getProperty(PACKET_SIZE).asInteger();
        attributes = context.getProperty(ATTRIBUTES).asInteger();
        attributeSize = context.getProperty(ATTRIBUTE_SIZE).asInteger();
        transaction.set(0);
    }

    @Override
    public void onTrigger(final ProcessContext context, final ProcessSessionFactory sessions) {
        final ProcessSession session = sessions.createSession();
        final long end = nanoClock.getAsLong() + MAX_VISIT_NANOS;
        try {
            while (isScheduled() && nanoClock.getAsLong() - end < 0) {
                for (int made = 0; made < transactions; made++) {
                    receive(session, transaction.getAndIncrement());
                }
                session.commit();
                // At once, since a session that is used again forgets what it counted until its commit.
                session.adjustCounter(MADE, transactions, true);
            }
        } catch (final RuntimeException e) {
            session.rollback();
            throw e;
        }
    }

    private void receive(final ProcessSession session, final int number) {
        for (int packet = 0; packet < packets; packet++) {
            final String id = run + "-0-" + number + "-" + packet;
            final byte[] content = PacketPattern.content(id, size);
            final FlowFile written = session.write(session.create(), out -> out.write(content));
            final Map<String, String> all = new HashMap<>(PacketPattern.attributes(id, attributes, attributeSize));
            all.put(HOST_ATTRIBUTE, HOST);
            all.put(ADDRESS_ATTRIBUTE, PEER);
            final FlowFile flowFile = session.putAllAttributes(written, all);
            session.getProvenanceReporter().receive(flowFile, TRANSIT_URI, null, DETAILS, TRANSFER_MILLIS);
            session.transfer(flowFile, SUCCESS);
        }
    }

    private static PropertyDescriptor number(
            final String name, final String description, final String value, final Validator validator) {
        return new PropertyDescriptor.Builder()
                .name(name)
                .description(description)
                .required(true)
                .defaultValue(value)
                .addValidator(validator)
                .expressionLanguageSupported(ExpressionLanguageScope.NONE)
                .build();
    }
}
