// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nullport;

import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.connectable.Connection;
import org.apache.nifi.controller.ScheduledState;
import org.apache.nifi.controller.queue.FlowFileQueue;
import org.apache.nifi.controller.queue.QueueSize;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.PortAuthorizationResult;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.protocol.ServerProtocol;

/**
 * An input port that behaves as NiFi's own, but keeps nothing: a request waits in its queue until one of its port tasks
 * calls the request's protocol with a session. Port tasks are threads of its own that never pause; everything else runs
 * on the listener's threads.
 */
final class NullPort {

    /** By this identifier clients find the port. */
    static final String ID = "null-port";

    private static final PortAuthorizationResult EVERYONE = Stub.of(
            PortAuthorizationResult.class,
            "authorization of everyone",
            (method, arguments) -> "isAuthorized".equals(method) ? true : "everyone may");
    private static final QueueSize EMPTY = new QueueSize(0, 0);
    private static final FlowFileQueue NEVER_FULL =
            Stub.of(FlowFileQueue.class, "null queue", (method, arguments) -> switch (method) {
                case "isFull" -> false;
                case "size" -> EMPTY;
                case "getBackPressureObjectThreshold" -> 0L;
                case "getBackPressureDataSizeThreshold" -> "0 B";
                default -> Stub.unknown();
            });
    private static final Connection CONNECTION = Stub.of(
            Connection.class,
            "null connection",
            (method, arguments) -> "getFlowFileQueue".equals(method) ? NEVER_FULL : Stub.unknown());
    private static final ProcessContext CONTEXT = Stub.of(
            ProcessContext.class,
            "null context",
            (method, arguments) ->
                    "getAvailableRelationships".equals(method) ? Set.of(Relationship.ANONYMOUS) : Stub.unknown());

    private final int tasks;
    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private final PublicPort port = Stub.of(PublicPort.class, "null port", this::ofPort);

    /** The requests that wait in the port. */
    private record Request(Peer peer, ServerProtocol protocol, CompletableFuture<Integer> answer) {}

    /**
     * A port whose tasks run.
     *
     * @param tasks concurrent tasks
     */
    NullPort(final int tasks) {
        this.tasks = tasks;
        for (int task = 1; task <= tasks; task++) {
            final Thread thread = new Thread(this::runPortTasks, "null-port-task-" + task);
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** The root group of a flow that is this port. */
    ProcessGroup rootGroup() {
        return Stub.of(ProcessGroup.class, "null flow", (method, arguments) -> switch (method) {
            case "isRootGroup" -> true;
            case "findInputPort" -> ID.equals(arguments[0]) ? port : null;
            case "findOutputPort" -> null;
            default -> Stub.unknown();
        });
    }

    private Object ofPort(final String method, final Object[] arguments) throws Exception {
        return switch (method) {
            case "getIdentifier", "getName" -> ID;
            case "getConnectableType" -> ConnectableType.INPUT_PORT;
            case "getMaxConcurrentTasks" -> tasks;
            case "isRunning", "isValid" -> true;
            case "getConnections" -> Set.of(CONNECTION);
            case "getIncomingConnections" -> List.of();
            case "getScheduledState" -> ScheduledState.RUNNING;
            case "getYieldPeriod" -> yieldPeriod(arguments);
            case "setYieldPeriod" -> null;
            case "checkUserAuthorization" -> EVERYONE;
            case "receiveFlowFiles" -> receive((Peer) arguments[0], (ServerProtocol) arguments[1]);
            default -> Stub.unknown();
        };
    }

    /** The port never yields: as text, or in whatever unit is asked for. */
    private static Object yieldPeriod(final Object[] arguments) {
        if (arguments == null) {
            return "0 millis";
        }
        return 0L;
    }

    private int receive(final Peer peer, final ServerProtocol protocol) throws Exception {
        final Request request = new Request(peer, protocol, new CompletableFuture<>());
        requests.add(request);
        try {
            return request.answer.get();
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof final Exception cause ? cause : e;
        }
    }

    private void runPortTasks() {
        try {
            while (true) {
                serve(requests.take());
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(final Request request) {
        try {
            request.answer.complete(request.protocol.receiveFlowFiles(
                    request.peer, CONTEXT, NullSession.create(), request.protocol.getPreNegotiatedCodec()));
        } catch (final Exception e) {
            request.answer.completeExceptionally(e);
        }
    }
}
