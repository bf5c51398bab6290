// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;

/**
 * The data of a running NiFi; kept in its home and printed as one JSON line. Immutable; any thread.
 *
 * @param pid       its process
 * @param startedAt when that process began, in ISO 8601
 * @param api       address of its REST API
 * @param s2sHost   host of its RAW Site-to-Site listener
 * @param s2sPort   port of the same; 0 when there is none
 * @param listener  which listener that is
 * @param version   version of NiFi
 * @param files     where it keeps what it writes
 * @param ports     ids of its ports by name
 * @param security  how to speak to it; null when it is not secured
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record NifiNodeInfo(
        long pid,
        String startedAt,
        String api,
        String s2sHost,
        int s2sPort,
        String listener,
        String version,
        NodeFiles files,
        Map<String, String> ports,
        NodeSecurity security) {

    /**
     * Where a NiFi keeps what it writes. Immutable; any thread.
     *
     * @param home   its directory
     * @param logs   its log files
     * @param ledger what its sinks note
     */
    public record NodeFiles(String home, String logs, String ledger) {}

    /**
     * How to speak to a secured NiFi. Immutable; any thread.
     *
     * @param keyStore         of a client that it knows
     * @param trustStore       certificates that it and its clients trust
     * @param password         of all three
     * @param strangerKeyStore of a client that it trusts and that may do nothing
     */
    public record NodeSecurity(String keyStore, String trustStore, String password, String strangerKeyStore) {

        static NodeSecurity of(final SecurityFiles files) {
            return new NodeSecurity(
                    files.keyStore(Identity.CLIENT).toString(),
                    files.trustStore().toString(),
                    files.password(),
                    files.keyStore(Identity.STRANGER).toString());
        }
    }

    private static final String FILE_NAME = "instance.json";
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(3);

    public NifiNodeInfo {
        // A file that another version of the harness has written may not have it.
        Objects.requireNonNull(files, "files");
    }

    NifiNodeInfo withPorts(final Map<String, String> ids) {
        return RestClient.JSON.convertValue(
                ((ObjectNode) RestClient.JSON.valueToTree(this)).set("ports", RestClient.JSON.valueToTree(ids)),
                getClass());
    }

    /** The key stores, or null when NiFi is not secured. */
    public SecurityFiles securityFiles() {
        return security == null
                ? null
                : SecurityFiles.open(Path.of(security.keyStore()).getParent());
    }

    /** The record that a home holds, whether or not its process still runs. */
    static Optional<NifiNodeInfo> read(final Path home) {
        final Path file = home.resolve(FILE_NAME);
        try {
            return Optional.of(RestClient.JSON.readValue(Files.readAllBytes(file), NifiNodeInfo.class));
        } catch (final NoSuchFileException e) {
            return Optional.empty();
        } catch (final IOException e) {
            throw new HarnessException(
                    "Cannot read %s, perhaps since another version of the harness has written it: end the NiFi of that home, if one runs, and remove the file"
                            .formatted(file),
                    e);
        }
    }

    void write() {
        final Path file = Path.of(files.home(), FILE_NAME);
        final Path next = Path.of(files.home(), FILE_NAME + ".next");
        HarnessException.attempt(e -> "Cannot write " + file, () -> {
            Files.writeString(next, RestClient.JSON.valueToTree(this) + System.lineSeparator());
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        });
    }

    void delete() {
        final Path file = Path.of(files.home(), FILE_NAME);
        HarnessException.attempt(e -> "Cannot delete " + file, () -> Files.deleteIfExists(file));
    }

    /** The process of this record, if it still runs and is the same one and not another under its id. */
    Optional<ProcessHandle> process() {
        return ProcessHandle.of(pid).filter(Liveness::isAlive).filter(process -> isIt(process.info()));
    }

    private boolean isIt(final ProcessHandle.Info info) {
        final Instant started = Instant.parse(startedAt);
        return info.startInstant()
                        .filter(start -> Duration.between(started, start).abs().compareTo(CLOCK_TOLERANCE) > 0)
                        .isEmpty()
                && info.commandLine()
                        .filter(line -> !line.contains(files.home()))
                        .isEmpty();
    }
}
