// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.exception.ProcessException;
import org.apache.nifi.processor.io.OutputStreamCallback;
import org.apache.nifi.provenance.ProvenanceReporter;
import org.mockito.invocation.InvocationOnMock;

/**
 * A session that keeps what it is given until it is committed, and then hands it to its port. Lives on the port task it
 * was made for, or on a content worker to which that one handed it.
 */
final class RecordingSession {
    /** What a commit does with FlowFiles. */
    interface Commit {
        /** @throws ProcessException if the commit is to fail */
        void accept(List<ReceivedFlowFile> flowFiles, List<Receipt> receipts, List<ReceivedFlowFile> removed);
    }

    /**
     * A provenance event.
     *
     * @param flowFile what was received
     * @param transitUri where it came from
     * @param sourceIdentifier its identifier there, or null
     * @param details who sent it
     */
    public record Receipt(FlowFile flowFile, String transitUri, String sourceIdentifier, String details) {}

    private static final AtomicLong IDS = new AtomicLong();

    private final Commit commit;
    private final Deque<ReceivedFlowFile> queue;
    private final Deque<ReceivedFlowFile> taken = new ArrayDeque<>();
    private final Runnable beforeWrite;
    private final Map<Long, ReceivedFlowFile> flowFiles = new LinkedHashMap<>();
    private final List<Long> transferred = new ArrayList<>();
    private final List<Receipt> receipts = new ArrayList<>();
    private final ProvenanceReporter reporter =
            mock(ProvenanceReporter.class, withSettings().stubOnly().defaultAnswer(this::report));
    private final ProcessSession session =
            mock(ProcessSession.class, withSettings().stubOnly().defaultAnswer(this::answer));

    /**
     * @param queue where FlowFiles come from; thread-safe
     */
    RecordingSession(final Deque<ReceivedFlowFile> queue, final Commit commit) {
        this(queue, commit, () -> {});
    }

    /**
     * @param queue where FlowFiles come from; thread-safe
     * @param beforeWrite runs before content is written to a stream of the session's
     */
    RecordingSession(final Deque<ReceivedFlowFile> queue, final Commit commit, final Runnable beforeWrite) {
        this.queue = queue;
        this.commit = commit;
        this.beforeWrite = beforeWrite;
    }

    ProcessSession session() {
        return session;
    }

    private Object report(final InvocationOnMock invocation) {
        if ("receive".equals(invocation.getMethod().getName())) {
            receipts.add(new Receipt(
                    invocation.getArgument(0),
                    invocation.getArgument(1),
                    invocation.getArgument(2),
                    invocation.getArgument(3)));
            return null;
        }
        if ("send".equals(invocation.getMethod().getName())) {
            return null;
        }
        throw new UnsupportedOperationException(invocation.toString());
    }

    private Object answer(final InvocationOnMock invocation) throws Exception {
        return switch (invocation.getMethod().getName()) {
            case "create" -> keep(new ReceivedFlowFile(IDS.incrementAndGet(), Map.of(), new byte[0]));
            case "write" ->
                invocation.getArguments().length == 1
                        ? open(invocation.getArgument(0))
                        : write(invocation.getArgument(0), invocation.getArgument(1));
            case "putAllAttributes" -> putAllAttributes(invocation.getArgument(0), invocation.getArgument(1));
            case "getProvenanceReporter" -> reporter;
            case "transfer" -> transfer(invocation.getArgument(0));
            case "get" -> take();
            case "read" ->
                new ByteArrayInputStream(
                        invocation.<ReceivedFlowFile>getArgument(0).content());
            case "remove" -> null;
            case "commit" -> commit();
            case "rollback" -> rollback();
            case "toString", "hashCode" -> null;
            default -> throw new UnsupportedOperationException(invocation.toString());
        };
    }

    private ReceivedFlowFile keep(final ReceivedFlowFile flowFile) {
        flowFiles.put(flowFile.id(), flowFile);
        return flowFile;
    }

    private ReceivedFlowFile write(final ReceivedFlowFile flowFile, final OutputStreamCallback writer)
            throws Exception {
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        writer.process(content);
        return keep(new ReceivedFlowFile(flowFile.id(), flowFile.attributes(), content.toByteArray()));
    }

    private OutputStream open(final ReceivedFlowFile flowFile) {
        return new ByteArrayOutputStream() {
            @Override
            public void write(final byte[] bytes, final int offset, final int length) {
                beforeWrite.run();
                super.write(bytes, offset, length);
            }

            @Override
            public void close() {
                keep(new ReceivedFlowFile(flowFile.id(), flowFile.attributes(), toByteArray()));
            }
        };
    }

    private ReceivedFlowFile putAllAttributes(final ReceivedFlowFile flowFile, final Map<String, String> added) {
        final ReceivedFlowFile latest = flowFiles.get(flowFile.id());
        final Map<String, String> attributes = new HashMap<>(latest.attributes());
        attributes.putAll(added);
        return keep(new ReceivedFlowFile(latest.id(), attributes, latest.content()));
    }

    private Object transfer(final FlowFile flowFile) {
        transferred.add(flowFile.getId());
        return null;
    }

    private Object commit() {
        commit.accept(transferred.stream().map(flowFiles::get).toList(), List.copyOf(receipts), List.copyOf(taken));
        return clear();
    }

    private ReceivedFlowFile take() {
        final ReceivedFlowFile next = queue.pollFirst();
        if (next != null) {
            taken.addLast(next);
        }
        return next;
    }

    private Object rollback() {
        while (!taken.isEmpty()) {
            queue.addFirst(taken.removeLast());
        }
        return clear();
    }

    private Object clear() {
        taken.clear();
        flowFiles.clear();
        transferred.clear();
        receipts.clear();
        return null;
    }
}
