// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Says what is wrong with a file, which the messages of Java's exceptions leave to their names. Stateless; any thread. */
final class FileMessages {
    private FileMessages() {}

    static String of(final IOException failure) {
        if (failure instanceof final NoSuchFileException missing) {
            return missing.getFile() + " does not exist";
        }
        if (failure instanceof final AccessDeniedException denied) {
            return denied.getFile() + " may not be read or written by this user";
        }
        if (failure instanceof final FileSystemException other && other.getReason() != null) {
            return other.getFile() + ": " + other.getReason();
        }
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }
}
