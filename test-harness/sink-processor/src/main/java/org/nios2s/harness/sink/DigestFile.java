// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.sink;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.apache.nifi.flowfile.FlowFile;

/**
 * A file with a line for every FlowFile that a sink dropped: its packet id and the SHA-256 of its content.
 * Computed on timer-driven threads; the file is written by one at a time, guarded by its own monitor.
 */
final class DigestFile implements Closeable {

    private static final int BUFFER_BYTES = 128 * 1024;

    private final Writer lines;

    private DigestFile(final Writer lines) {
        this.lines = lines;
    }

    /** Opens the file to append to it. */
    static DigestFile open(final Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        return new DigestFile(
                Files.newBufferedWriter(file, US_ASCII, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    /** The line of a FlowFile with this content. */
    static String line(final FlowFile flowFile, final InputStream content) throws IOException {
        final MessageDigest digest = sha256();
        final byte[] buffer = new byte[BUFFER_BYTES];
        for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) {
            digest.update(buffer, 0, read);
        }
        return flowFile.getAttribute(Ledger.PACKET_ID_ATTRIBUTE) + " "
                + HexFormat.of().formatHex(digest.digest());
    }

    /** Appends lines of FlowFiles whose removal was committed. */
    synchronized void append(final List<String> dropped) throws IOException {
        for (final String line : dropped) {
            lines.write(line);
            lines.write('\n');
        }
        lines.flush();
    }

    @Override
    public synchronized void close() throws IOException {
        lines.close();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JVM has SHA-256", e);
        }
    }
}
