// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nullport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.io.OutputStreamCallback;
import org.apache.nifi.provenance.ProvenanceReporter;

/**
 * Makes sessions that read what they are given and keep nothing of it: a commit costs nothing. Any thread.
 */
final class NullSession {

    private static final ProvenanceReporter REPORTER = Stub.of(
            ProvenanceReporter.class,
            "null provenance",
            (method, arguments) -> "receive".equals(method) ? null : Stub.unknown());

    private static final FlowFile FLOW_FILE = Stub.of(FlowFile.class, "null FlowFile", NullSession::ofFlowFile);

    private NullSession() {}

    static ProcessSession create() {
        return Stub.of(ProcessSession.class, "null session", NullSession::ofSession);
    }

    private static Object ofSession(final String method, final Object[] arguments) throws IOException {
        return switch (method) {
            case "create", "putAllAttributes" -> FLOW_FILE;
            case "write" -> arguments.length == 1 ? OutputStream.nullOutputStream() : write(arguments[1]);
            case "importFrom" -> importFrom((InputStream) arguments[0]);
            case "getProvenanceReporter" -> REPORTER;
            case "transfer", "commit", "commitAsync", "rollback", "remove" -> null;
            default -> Stub.unknown();
        };
    }

    private static Object ofFlowFile(final String method, final Object[] arguments) {
        return switch (method) {
            case "getSize", "getId" -> 0L;
            case "getAttribute" -> null;
            default -> Stub.unknown();
        };
    }

    private static FlowFile write(final Object writer) throws IOException {
        ((OutputStreamCallback) writer).process(OutputStream.nullOutputStream());
        return FLOW_FILE;
    }

    private static FlowFile importFrom(final InputStream content) throws IOException {
        content.transferTo(OutputStream.nullOutputStream());
        return FLOW_FILE;
    }
}
