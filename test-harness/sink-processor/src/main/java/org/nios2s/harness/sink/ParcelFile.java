// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.sink;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * A file with a line for every FlowFile that a sink takes: its {@link Parcel}.
 * Written by timer-driven threads, one at a time; guarded by its own monitor.
 *
 * <p>A line is in the file before its FlowFile leaves NiFi. A NiFi that is killed in between gives the FlowFile to the sink
 * again: then two lines have the same number of a FlowFile, and the first may be torn.
 */
final class ParcelFile implements Closeable {

    private final Writer lines;

    private ParcelFile(final Writer lines) {
        this.lines = lines;
    }

    /** Opens the file to append to it, on a line of its own. */
    static ParcelFile open(final Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        final boolean torn = endsInMidLine(file);
        final ParcelFile opened = new ParcelFile(
                Files.newBufferedWriter(file, US_ASCII, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
        if (torn) {
            opened.lines.write('\n');
        }
        return opened;
    }

    /** Appends what the FlowFiles of a session hold, those without an id left out. */
    synchronized void append(final List<Parcel> parcels) throws IOException {
        for (final Parcel parcel : parcels) {
            if (parcel.id() != null) {
                lines.write(parcel.line());
                lines.write('\n');
            }
        }
        lines.flush();
    }

    @Override
    public synchronized void close() throws IOException {
        lines.close();
    }

    private static boolean endsInMidLine(final Path file) throws IOException {
        if (!Files.exists(file) || Files.size(file) == 0) {
            return false;
        }
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
            bytes.seek(bytes.length() - 1);
            return bytes.read() != '\n';
        }
    }
}
