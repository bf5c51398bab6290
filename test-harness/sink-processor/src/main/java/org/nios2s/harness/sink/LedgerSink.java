// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.sink;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.annotation.behavior.InputRequirement;
import org.apache.nifi.annotation.behavior.InputRequirement.Requirement;
import org.apache.nifi.annotation.documentation.CapabilityDescription;
import org.apache.nifi.annotation.documentation.Tags;
import org.apache.nifi.annotation.lifecycle.OnScheduled;
import org.apache.nifi.annotation.lifecycle.OnStopped;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.expression.ExpressionLanguageScope;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.AbstractProcessor;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.processor.util.StandardValidators;

/**
 * A processor that drops FlowFiles in batches and keeps a {@link Ledger} of what it dropped.
 * Its trigger runs on NiFi's timer-driven threads; the ledger is written on one thread of its own while it is scheduled.
 *
 * <p>A FlowFile is entered into the ledger only after the session that removed it was committed, so the ledger never
 * counts a FlowFile that is still in a queue.
 */
@Tags({"sink", "drop", "ledger", "test"})
@InputRequirement(Requirement.INPUT_REQUIRED)
@CapabilityDescription(
        "Drops FlowFiles and keeps a ledger of their count, their bytes and, if wanted, of what each of them holds")
public class LedgerSink extends AbstractProcessor {

    static final PropertyDescriptor LEDGER_DIRECTORY = new PropertyDescriptor.Builder()
            .name("Ledger Directory")
            .description("Directory of ledger.json and of the file of packet ids; made when it is missing")
            .required(true)
            .addValidator(StandardValidators.NON_BLANK_VALIDATOR)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor PACKET_ID_FILE = new PropertyDescriptor.Builder()
            .name("Packet Id File")
            .description("Name of a file in the ledger directory to which the attribute " + Ledger.PACKET_ID_ATTRIBUTE
                    + " of every FlowFile is appended, one per line; no value: ids are not kept")
            .required(false)
            .addValidator(StandardValidators.NON_BLANK_VALIDATOR)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor PARCEL_FILE = new PropertyDescriptor.Builder()
            .name("Parcel File")
            .description(
                    "Name of a file in the ledger directory that gets a line for every FlowFile: packet id, number of"
                            + " the FlowFile (of its uuid), bytes, checksums of content and attributes; no value: contents are not read")
            .required(false)
            .addValidator(StandardValidators.NON_BLANK_VALIDATOR)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor BATCH_SIZE = new PropertyDescriptor.Builder()
            .name("Batch Size")
            .description("Most FlowFiles dropped in one session")
            .required(true)
            .defaultValue("1000")
            .addValidator(StandardValidators.POSITIVE_INTEGER_VALIDATOR)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    /** How old the written ledger may be. */
    private static final Duration WRITE_INTERVAL = Duration.ofMillis(100);

    private volatile Ledger ledger;
    private volatile ParcelFile parcels;
    private volatile int batchSize;
    private volatile ScheduledExecutorService writer;

    @Override
    protected List<PropertyDescriptor> getSupportedPropertyDescriptors() {
        return List.of(LEDGER_DIRECTORY, PACKET_ID_FILE, PARCEL_FILE, BATCH_SIZE);
    }

    @Override
    public Set<Relationship> getRelationships() {
        return Set.of();
    }

    /** Opens the ledger, which goes on from what its file says, and starts writing it. */
    @OnScheduled
    public void openLedger(final ProcessContext context) throws IOException {
        final Path directory = Path.of(context.getProperty(LEDGER_DIRECTORY).getValue());
        final String idFile = context.getProperty(PACKET_ID_FILE).getValue();
        final String parcelFile = context.getProperty(PARCEL_FILE).getValue();
        batchSize = context.getProperty(BATCH_SIZE).asInteger();
        parcels = parcelFile == null ? null : ParcelFile.open(directory.resolve(parcelFile));
        final Ledger opened = Ledger.open(directory, idFile);
        ledger = opened;
        writer = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform()
                .daemon()
                .name("ledger-writer-" + getIdentifier())
                .factory());
        writer.scheduleWithFixedDelay(
                () -> write(opened), WRITE_INTERVAL.toMillis(), WRITE_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Writes the last state of the ledger; called when no trigger runs any more. */
    @OnStopped
    public void closeLedger() throws IOException {
        final ScheduledExecutorService running = writer;
        if (running != null) {
            running.close();
            writer = null;
        }
        final Ledger open = ledger;
        if (open != null) {
            open.close();
            ledger = null;
        }
        final ParcelFile openParcels = parcels;
        if (openParcels != null) {
            openParcels.close();
            parcels = null;
        }
    }

    @Override
    public void onTrigger(final ProcessContext context, final ProcessSession session) {
        final List<FlowFile> batch = session.get(batchSize);
        if (batch.isEmpty()) {
            return;
        }
        note(session, batch);
        session.remove(batch);
        session.commitAsync(() -> enter(batch));
    }

    /** Before the commit: what the file does not have yet comes again after a kill. */
    private void note(final ProcessSession session, final List<FlowFile> batch) {
        final ParcelFile open = parcels;
        if (open == null) {
            return;
        }
        final List<Parcel> read = new ArrayList<>(batch.size());
        for (final FlowFile flowFile : batch) {
            session.read(flowFile, content -> read.add(Parcel.read(flowFile.getAttributes(), name(flowFile), content)));
        }
        try {
            open.append(read);
        } catch (final IOException e) {
            throw new UncheckedIOException("The ledger could not append to its file of parcels: they stay queued", e);
        }
    }

    /** Of its uuid, which stays the same across a restart: NiFi may then give its number to another FlowFile. */
    private static long name(final FlowFile flowFile) {
        final UUID uuid = UUID.fromString(flowFile.getAttribute("uuid"));
        return uuid.getMostSignificantBits() ^ uuid.getLeastSignificantBits();
    }

    private void enter(final List<FlowFile> batch) {
        try {
            ledger.enter(batch);
        } catch (final IOException e) {
            throw new UncheckedIOException(
                    "The ledger could not append to its file of packet ids: from here on it misses some", e);
        }
    }

    private void write(final Ledger open) {
        try {
            open.writeIfChanged();
        } catch (final IOException e) {
            getLogger().error("The ledger could not be written; the next attempt follows", e);
        }
    }
}
