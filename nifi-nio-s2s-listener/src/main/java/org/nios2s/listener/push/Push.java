// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.flowfile.FlowFile;
import org.nios2s.listener.access.AccessLog;
import org.nios2s.listener.connection.ListenerContext;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.TransactionContext;
import org.nios2s.listener.doubt.Receipt;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.PortLimits.TransactionLease;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.metrics.ListenerMetrics.Histogram;
import org.nios2s.listener.port.DestinationRoom;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.BufferedPush;
import org.nios2s.listener.transaction.BufferedPush.State;
import org.nios2s.listener.transaction.CommitDeadline;
import org.nios2s.listener.transaction.HeldSessions.HeldSession;
import org.nios2s.listener.transaction.Outcome;
import org.nios2s.listener.transaction.OutcomeListener;
import org.nios2s.listener.transaction.PacketSink;
import org.nios2s.listener.transaction.StreamedPush;
import org.nios2s.wire.PacketDecoder;
import org.nios2s.wire.PacketReader;
import org.nios2s.wire.ProtocolException;
import org.nios2s.wire.ResponseCode;
import org.nios2s.wire.ResponseMessage;

/**
 * One push transaction, as its steps share it while its packets arrive: the decoder, the inflater if packets are
 * compressed, and the transaction that they fill, in memory or, when it has outgrown it, streaming. Lives on the
 * connection's IO worker.
 */
final class Push implements PacketDecoder.Handler, TransactionContext {
    /** Memory is charged in units of so many bytes: the budget's lock is shared by all connections, and packets are many. */
    private static final long CHARGED_BYTES = 1024;

    /** Attributes and small contents, of which nothing is charged beyond what is reserved. */
    private static final long RESERVED_BYTES = MemoryBudget.SMALL_BYTES;

    private final PeerConnection connection;
    private final NanoClock clock;
    private final long startNanos;
    private final TransactionLease lease;
    private final Receipt receipt;
    private final BufferedPush inMemory;
    private final PacketDecoder decoder = new PacketDecoder(this, MemoryBudget.MAX_ATTRIBUTE_BYTES);
    private final PacketReader reader;
    private StreamedPush streaming;
    /** Covers the attributes of the packet under way; null where the transaction's memory does. */
    private Grant attributeMemory;

    private long packetStartNanos;
    private boolean packetOutgrowsMemory;
    private int packets;
    private long contentBytes;
    private boolean isAbandoned;
    private boolean isRollbackLogged;
    /** Bytes that were charged, without those of the inflater. */
    private long charged;

    /** @param lease with {@link #reservedBytes} reserved */
    Push(final PeerConnection connection, final TransactionLease lease) {
        this.connection = connection;
        this.lease = lease;
        this.clock = connection.clock();
        this.startNanos = clock.nanoTime();
        lease.charge().add(inflaterBytes(connection));
        this.receipt = connection.dispatcher().openReceipt(connection.key());
        this.inMemory = new BufferedPush(connection, lease, connection.channel().alloc(), receipt);
        this.reader = new PacketReader(
                decoder,
                connection.handshake().isUseGzip(),
                connection.channel().alloc(),
                this::hasToWait);
    }

    @Override
    public PeerConnection connection() {
        return connection;
    }

    /** @return memory that a push has to reserve, so that it can finish whatever the others hold */
    static long reservedBytes(final PeerConnection connection) {
        return RESERVED_BYTES + inflaterBytes(connection);
    }

    private static long inflaterBytes(final PeerConnection connection) {
        if (connection.handshake().isUseGzip()) {
            return PacketReader.INFLATER_BYTES;
        }
        return 0;
    }

    /**
     * Asks for memory for the attributes of the packet under way, which is given back when the packet is written.
     *
     * @return whether it is there now; otherwise the callback is called
     */
    boolean requestAttributeMemory(final Runnable granted) {
        final Grant memory = connection.listener().limits().memory().requestAttributes(connection, granted);
        attributeMemory = memory;
        lease.whenClosed(memory::close);
        streaming.coverAttributes(memory);
        return memory.isImmediate();
    }

    @Override
    public void packetBegins(final Map<String, String> attributes, final long contentLength) throws ProtocolException {
        requireNames(attributes);
        packets++;
        contentBytes += Math.max(0, contentLength);
        packetOutgrowsMemory = contentLength > maxInMemory();
        sink().packetBegins(attributes, contentLength);
    }

    @Override
    public void content(final ByteBuf in, final int length) {
        if (streaming == null || !connection.handshake().isUseGzip()) {
            sink().content(in, length);
            return;
        }
        // The inflater reuses its buffer for the next bytes, and a streamed push is written later: it needs a copy.
        final ByteBuf copy = in.readBytes(length);
        try {
            streaming.content(copy, length);
        } finally {
            copy.release();
        }
    }

    @Override
    public void packetEnds() {
        attributeMemory = null;
        sink().packetEnds(TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - packetStartNanos));
    }

    private PacketSink sink() {
        if (streaming == null) {
            return inMemory;
        }
        return streaming;
    }

    /** @return the CRC32 of all packets, as the wire has it */
    String checksum() {
        return String.valueOf(decoder.checksum());
    }

    /** NiFi would refuse them too, but only when the transaction, and others with it, is to be committed. */
    private static void requireNames(final Map<String, String> attributes) throws ProtocolException {
        try {
            attributes.keySet().forEach(FlowFile.KeyValidator::validateKey);
        } catch (final IllegalArgumentException e) {
            throw new ProtocolException("A packet has an attribute that NiFi does not take: " + e.getMessage(), e);
        }
    }

    /** @return whether the current packet is complete; if not, bytes are missing or it is our turn, see {@link #waitIfNeeded} */
    boolean receivePacket(final ByteBuf in) throws IOException {
        final boolean complete = reader.readPacket(in);
        updateCharge();
        return complete;
    }

    /** @return bytes held now. What is streamed charges itself */
    private long held() {
        if (streaming == null) {
            return decoder.heldBytes() + inMemory.bytes();
        }
        if (attributeMemory != null) {
            return 0;
        }
        return decoder.heldBytes();
    }

    /** Brings the charge up to what is held now, rounded up. */
    private void updateCharge() {
        final long due = roundedUp(held());
        // Within the reservation nothing changes, and the budget's lock is not touched: most pushes stay there.
        if (due > RESERVED_BYTES || charged > RESERVED_BYTES) {
            charge(due);
        }
    }

    private static long roundedUp(final long bytes) {
        return (bytes + CHARGED_BYTES - 1) / CHARGED_BYTES * CHARGED_BYTES;
    }

    private void charge(final long due) {
        lease.charge().add(due - charged);
        charged = due;
    }

    private boolean hasToWait() {
        updateCharge();
        return hasOutgrownMemory() || isBehind() || lacksMemory();
    }

    /** @return whether attributes under way, which can't be streamed, take more than there is; a push in memory streams first */
    private boolean lacksMemory() {
        return streaming != null
                && attributeMemory == null
                && decoder.heldBytes() > RESERVED_BYTES
                && !lease.charge().hasRoomToGrow();
    }

    private long maxInMemory() {
        return connection.listener().settings().memory().transaction();
    }

    /** @return whether the transaction needs a session of its own to go on */
    private boolean hasOutgrownMemory() {
        if (streaming != null) {
            return false;
        }
        return packetOutgrowsMemory
                || inMemory.bytes() > maxInMemory()
                || held() + nextPortionBytes() > RESERVED_BYTES
                        && !lease.charge().hasRoomToGrow();
    }

    /** @return what decoding goes on to take at most before it is asked again */
    private long nextPortionBytes() {
        if (decoder.isInContent()) {
            return 0;
        }
        return PacketReader.MAX_ATTRIBUTE_PORTION_MEMORY;
    }

    /** @return whether reading has to pause until what has arrived is written */
    private boolean isBehind() {
        return streaming != null && streaming.isBehind();
    }

    /** Lets the transaction wait where it has to, before it reads more of a packet or begins another. */
    Step waitIfNeeded(final Step next) {
        final Step followed = waitAfterPacketIfNeeded(next);
        if (followed != next) {
            return followed;
        }
        if (lacksMemory()) {
            return new AwaitMemoryStep(this, next);
        }
        if (reader.hasPaused()) {
            connection.handler().yieldToOthers();
        }
        return next;
    }

    /** As {@link #waitIfNeeded}, where the packet is complete: it may be the last, and then nothing more is needed. */
    Step waitAfterPacketIfNeeded(final Step next) {
        if (hasOutgrownMemory()) {
            return new AwaitSessionStep(this, next);
        }
        if (isBehind()) {
            return new AwaitWriterStep(this, next);
        }
        return next;
    }

    @Override
    public boolean inflatesAbnormally() {
        return reader.inflatesAbnormally();
    }

    void awaitCaughtUp(final Runnable resume) {
        streaming.awaitCaughtUp(resume);
    }

    /** Gives back what is reserved and not used: nothing is read until there is a permit to stream, which may take long. */
    void releaseReservation() {
        final long due = roundedUp(held());
        lease.charge().settle(due - charged);
        charged = due;
    }

    /** The transaction has got its session: is streamed into that from {@link #streamInto} on. */
    StreamedPush newStreaming(final HeldSession session) {
        return new StreamedPush(
                session,
                lease,
                this::write,
                connection.metrics(),
                fault -> connection.handler().fail(this, fault),
                receipt);
    }

    /** Runs a turn of writing: a push that inflates abnormally shares one thread with its like. */
    private void write(final Runnable turn) {
        final ListenerContext.Threads threads = connection.listener().threads();
        if (reader.inflatesAbnormally()) {
            threads.inflationWriter().execute(turn);
        } else {
            threads.contentWriters().accept(connection, turn);
        }
    }

    /** From now on what arrives is streamed, and first what has arrived. */
    Step streamInto(final StreamedPush transaction, final Step next) {
        // BufferedPush.moveTo gives back what it had charged, and
        // StreamedPush charges the same bytes. So neither is ours now.
        charge(held());
        charged -= inMemory.bytes();
        streaming = transaction;
        inMemory.moveTo(transaction);
        return next;
    }

    /** The next packet of the transaction is awaited. */
    Step nextPacket() {
        packetOutgrowsMemory = false;
        packetStartNanos = clock.nanoTime();
        return waitIfNeeded(new ReceivePacketStep(this));
    }

    /** @return whether the packet ends here on the wire, too */
    boolean finishPacket(final ByteBuf in) throws IOException {
        return reader.finishPacket(in);
    }

    /** The packets are complete: releases the decoder, and the part of the reservation that was not needed. */
    void finishDecoding() {
        if (streaming != null && reader.inflatesAbnormally()) {
            connection.metrics().add(Counter.PUSHES_INFLATED_ABNORMALLY, 1);
        }
        reader.close();
        final long due = held();
        lease.charge().settle(due - charged - inflaterBytes(connection));
        charged = due;
    }

    /** @return what the transaction puts into the destination, once its packets are complete */
    DestinationRoom.Load load() {
        return new DestinationRoom.Load(packets, contentBytes);
    }

    /** From now on the reservation is given back with the end of the transaction. */
    void reserved(final Grant reservation) {
        lease.whenClosed(reservation::close);
    }

    /**
     * Both sides have confirmed.
     *
     * @param listener called on the IO worker
     */
    void commit(final CommitDeadline deadline, final OutcomeListener listener) {
        connection.metrics().recordSince(Histogram.RECEIVE_TIME_MS, startNanos);
        if (streaming == null) {
            inMemory.ready(listener, deadline, clock.nanoTime());
            connection.dispatcher().submit(inMemory);
        } else {
            streaming.commit(deadline, listener);
        }
    }

    /** Sends the answer to a push that was committed. Its peer counts as told when the answer has left. */
    void answer(final ResponseCode code) {
        if (receipt.isKept()) {
            receipt.answers(connection.lastAnswer());
            connection.send(ResponseMessage.encoded(code), receipt::answered);
        } else {
            connection.send(code);
        }
    }

    /** Counts and logs how the transaction has ended. */
    void report(final Outcome outcome) {
        if (outcome.fault() != null) {
            if (streaming == null) {
                // A streamed push is counted where its session is rolled back.
                connection.metrics().add(Counter.PUSHES_ROLLED_BACK, 1);
            }
            logRollback();
            return;
        }
        AccessLog.committed(this::transferred);
        connection.metrics().peers().transferred(connection.key().name(), contentBytes);
        if (isAbandoned) {
            connection.reportPossibleDuplicates(
                    packets, "The peer left while its transaction was being committed" + receipt.consequence());
        }
    }

    /** Logs once: a streamed push that is abandoned while it waits for its commit also gets an outcome. */
    private void logRollback() {
        if (!isRollbackLogged) {
            isRollbackLogged = true;
            AccessLog.rolledBack(this::transferred);
        }
    }

    private AccessLog.Transfer transferred() {
        return new AccessLog.Transfer(
                connection,
                connection.port(),
                AccessLog.Direction.RECEIVED,
                packets,
                contentBytes,
                clock.nanoTime() - startNanos);
    }

    /** @return whether it waits for its commit, and may still be taken back */
    boolean mayBeTakenBack() {
        if (streaming == null) {
            return inMemory.state() == State.READY;
        }
        return !streaming.isEnding();
    }

    @Override
    public void abandon() {
        abandon(true);
    }

    /** @param counts false where a session was taken for it, whose end counts */
    void abandon(final boolean counts) {
        reader.close();
        isAbandoned = true;
        receipt.peerLost();
        if (streaming != null) {
            if (!streaming.isEnding()) {
                logRollback();
            }
            streaming.abandon();
        } else if (inMemory.abandon()) {
            AccessLog.rolledBack(this::transferred);
            connection.dispatcher().withdraw(inMemory);
            if (counts) {
                connection.metrics().add(Counter.PUSHES_ROLLED_BACK, 1);
            }
        }
    }
}
