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
import java.util.Optional;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.nifi.security.SecurityFiles;

/** What is known about a running NiFi; kept in its home and printed as one JSON line. Immutable, for any thread. */
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
        String home,
        String logs,
        String ledger,
        Map<String, String> ports,
        String keyStore,
        String trustStore,
        String password,
        String strangerKeyStore) {

    private static final String FILE_NAME = "instance.json";
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(3);

    NifiNodeInfo withPorts(final Map<String, String> ids) {
        return RestClient.JSON.convertValue(
                ((ObjectNode) RestClient.JSON.valueToTree(this)).set("ports", RestClient.JSON.valueToTree(ids)),
                getClass());
    }

    /** The key stores, or null when NiFi is not secured. */
    public SecurityFiles securityFiles() {
        return keyStore == null ? null : SecurityFiles.open(Path.of(keyStore).getParent());
    }

    /** The record that a home holds, whether or not its process still runs. */
    static Optional<NifiNodeInfo> read(final Path home) {
        final Path file = home.resolve(FILE_NAME);
        try {
            return Optional.of(RestClient.JSON.readValue(Files.readAllBytes(file), NifiNodeInfo.class));
        } catch (final NoSuchFileException e) {
            return Optional.empty();
        } catch (final IOException e) {
            throw new HarnessException("Cannot read " + file + ": remove it if no NiFi runs in that home", e);
        }
    }

    void write() {
        final Path file = Path.of(home, FILE_NAME);
        final Path next = Path.of(home, FILE_NAME + ".next");
        HarnessException.attempt(e -> "Cannot write " + file, () -> {
            Files.writeString(next, RestClient.JSON.valueToTree(this) + System.lineSeparator());
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        });
    }

    void delete() {
        final Path file = Path.of(home, FILE_NAME);
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
                && info.commandLine().filter(line -> !line.contains(home)).isEmpty();
    }
}
