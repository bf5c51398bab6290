// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/**
 * Cuts bytes into lines, which end with a newline and are not decoded. Belongs to one thread, which it blocks while no bytes are
 * there.
 */
final class LineCutter {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int END = -1;

    /** Where the bytes come from. */
    interface Source {
        /** @return how many bytes were read, or -1 at the end */
        int read(byte[] buffer) throws IOException;
    }

    private final Source source;
    private final int maxBytes;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int next;
    private int end;
    /** Of a line whose end has not been read. */
    private final ByteArrayOutputStream begun = new ByteArrayOutputStream();

    private long lines;

    /** @param maxBytes of a line without its newline */
    LineCutter(final Source source, final int maxBytes) {
        this.source = source;
        this.maxBytes = maxBytes;
    }

    /**
     * Reads a line.
     *
     * @return the line without its newline, or null at the end: then {@link #rest} is what no newline followed
     */
    byte[] next() throws IOException {
        while (true) {
            final int newline = newline();
            take(newline);
            if (newline < end) {
                next = newline + 1;
                lines++;
                return rest();
            }
            next = 0;
            end = 0;
            final int read = source.read(buffer);
            if (read == END) {
                return null;
            }
            end = read;
        }
    }

    /** @return where the next newline is, or the end */
    private int newline() {
        int at = next;
        while (at < end && buffer[at] != '\n') {
            at++;
        }
        return at;
    }

    private void take(final int until) throws IOException {
        begun.write(buffer, next, until - next);
        if (begun.size() > maxBytes) {
            throw new IOException(
                    "Line " + (lines + 1) + " is longer than " + maxBytes
                            + " bytes, the most that --batch-bytes leaves for a line; this line and those after it were not sent");
        }
    }

    /** @return whether bytes of a line have been read, and its end has not */
    boolean hasBegun() {
        return begun.size() > 0;
    }

    /** @return the bytes behind the last newline, once */
    byte[] rest() {
        final byte[] rest = begun.toByteArray();
        begun.reset();
        return rest;
    }
}
