// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.sink;

import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.nifi.flowfile.FlowFile;

/**
 * Count, bytes and packet ids of the FlowFiles that a sink dropped, kept in files that another process reads.
 * Entered by any number of timer-driven threads, written by one; guarded by its own monitor.
 *
 * <p>{@code ledger.json} is replaced as a whole, so a reader sees one state or the next. An id is in its file before
 * its FlowFile is counted: a reader that sees a count finds at least as many ids.
 */
final class Ledger implements Closeable {

    static final String PACKET_ID_ATTRIBUTE = PacketPattern.ID;

    static final String FILE_NAME = "ledger.json";

    private static final String NEXT_FILE_NAME = "ledger.json.next";
    private static final Pattern STATE =
            Pattern.compile("\\{\"count\":(\\d+),\"bytes\":(\\d+),\"withoutId\":(\\d+)}\\s*");

    private final Path directory;
    private final Writer ids;
    private long count;
    private long bytes;
    private long withoutId;
    private boolean changed;

    private Ledger(final Path directory, final Writer ids) {
        this.directory = directory;
        this.ids = ids;
    }

    /**
     * Opens the ledger of a directory and goes on from the state that its file holds.
     *
     * @param directory where the files are; made when it is missing
     * @param idFile name of the file of packet ids, or null when ids are not kept
     * @throws IOException when the directory cannot be made or holds something else under the ledger's name
     */
    static Ledger open(final Path directory, final String idFile) throws IOException {
        Files.createDirectories(directory);
        final Writer ids = idFile == null
                ? Writer.nullWriter()
                : Files.newBufferedWriter(
                        directory.resolve(idFile), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        final Ledger ledger = new Ledger(directory, ids);
        ledger.load();
        ledger.changed = true;
        ledger.writeIfChanged();
        return ledger;
    }

    /** Enters FlowFiles whose removal was committed. */
    synchronized void enter(final Collection<FlowFile> dropped) throws IOException {
        for (final FlowFile flowFile : dropped) {
            final String id = flowFile.getAttribute(PACKET_ID_ATTRIBUTE);
            if (id == null) {
                withoutId++;
            } else {
                ids.write(id);
                ids.write('\n');
            }
            bytes += flowFile.getSize();
        }
        count += dropped.size();
        changed = true;
    }

    /** Replaces the ledger's file when something was entered since it was last written. */
    void writeIfChanged() throws IOException {
        final String state;
        synchronized (this) {
            if (!changed) {
                return;
            }
            ids.flush();
            state = "{\"count\":%d,\"bytes\":%d,\"withoutId\":%d}%n".formatted(count, bytes, withoutId);
            changed = false;
        }
        final Path next = directory.resolve(NEXT_FILE_NAME);
        Files.writeString(next, state, StandardCharsets.US_ASCII);
        Files.move(next, directory.resolve(FILE_NAME), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        writeIfChanged();
        ids.close();
    }

    private void load() throws IOException {
        final Path file = directory.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            return;
        }
        final Matcher state = STATE.matcher(Files.readString(file, StandardCharsets.US_ASCII));
        if (!state.matches()) {
            throw new IOException(file + " is not a ledger: remove it to start a new one");
        }
        count = Long.parseLong(state.group(1));
        bytes = Long.parseLong(state.group(2));
        withoutId = Long.parseLong(state.group(3));
    }
}
