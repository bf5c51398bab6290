// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import io.netty.util.concurrent.EventExecutor;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.nifi.connectable.Connection;
import org.apache.nifi.controller.queue.FlowFileQueue;
import org.apache.nifi.controller.queue.QueueSize;
import org.apache.nifi.processor.DataUnit;
import org.nios2s.listener.limits.Holder;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.time.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The room in the connections behind an input port: every transaction reserves its part before its peer is told to confirm.
 * Thread-safe: IO workers reserve, and the thread that gives room back grants it to the next transaction.
 *
 * <h2>Why reserve</h2>
 *
 * <p>A peer that has confirmed cannot know the outcome of its transaction until it hears of the commit. If the destination turned
 * out to be full by then, the peer could only guess. NiFi's own listener confirms inside a port task, which NiFi does not trigger
 * under back pressure. This listener confirms before a port task has come, so it has to count: FlowFiles and bytes in the queue
 * plus those of all transactions that were told to confirm stay below the threshold, or exceed it by the one transaction that
 * reached it. The others wait before the confirmation, where a peer may give up and send again safely.
 *
 * <h2>The order, and how long it takes</h2>
 *
 * <p>Room goes to the peer that has least of it reserved, as {@link SharedResource} says. NiFi does not tell us when a queue is drained. So while a
 * transaction waits, the queue is read every {@value #LOOK_AGAIN_MILLIS} ms, which is how often NiFi itself looks at a port under
 * back pressure. Nothing is granted either while no port task comes for what has been confirmed already.
 */
public final class DestinationRoom {
    private static final Logger logger = LoggerFactory.getLogger(DestinationRoom.class);

    private static final long LOOK_AGAIN_MILLIS = 10;

    private final Supplier<? extends Collection<Connection>> connections;
    private final SharedResource resource;
    private final SharedResource.Part room;
    /** Thresholds in bytes by their text in the flow, of which there are few: parsing a text would take most of the time of a look. */
    private final Map<String, Double> parsedSizes = new ConcurrentHashMap<>();

    private boolean lookScheduled;

    /**
     * @param connections that the port puts its FlowFiles into
     * @param portIsServed whether port tasks come for confirmed transactions
     */
    DestinationRoom(
            final Supplier<? extends Collection<Connection>> connections,
            final BooleanSupplier portIsServed,
            final NanoClock clock) {
        this.connections = connections;
        this.resource = new SharedResource("room in the destination", SharedResource.UNLIMITED, 0, clock);
        this.room = resource.part(
                (flowFiles, bytes) -> isBelowThresholds(new Load(flowFiles, bytes)) && portIsServed.getAsBoolean());
    }

    /**
     * The load that one or several transactions put into a queue.
     *
     * @param flowFiles how many
     * @param bytes of all their contents
     */
    public record Load(long flowFiles, long bytes) {
        static final Load NONE = new Load(0, 0);
    }

    /**
     * @param granted called once, on any thread, when the room is reserved, if there is none now; must not block
     * @param worker reads the queue now and then while a transaction waits
     */
    public Grant reserve(final Holder holder, final Load load, final EventExecutor worker, final Runnable granted) {
        final Grant reservation = room.request(holder, load.flowFiles, load.bytes, granted);
        if (!reservation.isImmediate()) {
            synchronized (this) {
                scheduleLook(worker);
            }
        }
        return reservation;
    }

    /** @return transactions that wait for room */
    int waiting() {
        return room.waiting();
    }

    /** @return what the transactions share */
    SharedResource resource() {
        return resource;
    }

    /** @return whether there is room but for what is reserved */
    boolean isOpen() {
        return isBelowThresholds(Load.NONE);
    }

    /** Grants the room that has become free to the waiting transactions, in turn. From any thread. */
    void grantWaiting() {
        room.grantWaiting();
    }

    private void scheduleLook(final EventExecutor worker) {
        if (lookScheduled) {
            return;
        }
        try {
            worker.schedule(() -> lookAgain(worker), LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
            lookScheduled = true;
        } catch (final RejectedExecutionException e) {
            logger.debug("The listener is stopping: the sweep grants room to waiting transactions", e);
        }
    }

    private void lookAgain(final EventExecutor worker) {
        grantWaiting();
        synchronized (this) {
            lookScheduled = false;
            if (room.waiting() > 0) {
                scheduleLook(worker);
            }
        }
    }

    private boolean isBelowThresholds(final Load added) {
        try {
            for (final Connection connection : connections.get()) {
                final FlowFileQueue queue = connection.getFlowFileQueue();
                if (queue.isFull() || isFull(queue, added)) {
                    return false;
                }
            }
            return true;
        } catch (final RuntimeException e) {
            // The flow was edited while we iterated. To say yes is safe: the
            // port task asks again before a commit, through NiFi's own context.
            logger.debug("The connections behind a port can't be read", e);
            return true;
        }
    }

    /** Decides as NiFi's {@code AbstractFlowFileQueue.isFull}, with a load added. */
    private boolean isFull(final FlowFileQueue queue, final Load added) {
        final QueueSize size = queue.size();
        final long maxFlowFiles = queue.getBackPressureObjectThreshold();
        if (maxFlowFiles > 0 && size.getObjectCount() + added.flowFiles >= maxFlowFiles) {
            return true;
        }
        final double maxBytes = parsedSizes.computeIfAbsent(
                queue.getBackPressureDataSizeThreshold(), text -> DataUnit.parseDataSize(text, DataUnit.B));
        return maxBytes > 0 && size.getByteCount() + added.bytes >= maxBytes;
    }
}
