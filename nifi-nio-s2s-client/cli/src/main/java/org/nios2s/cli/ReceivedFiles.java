// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import org.nios2s.client.ReceivedPacket;

/**
 * The files of one batch: written and synced under names that begin with a dot, then given their own names. Nobody sees half
 * a file, and no file that is there is overwritten. Belongs to the main thread.
 */
final class ReceivedFiles {
    private static final String ATTRIBUTES = ".attributes";
    private static final int LONGEST_NAME = 200;

    /** A FlowFile that lies on the disk under names that are not its own; null where attributes are not asked for. */
    private record Staged(String name, Path content, Path attributes) {}

    private final Path directory;
    private final PartFiles parts;
    private final boolean withAttributes;
    private final List<Staged> staged = new ArrayList<>();
    private final List<Path> published = new ArrayList<>();

    ReceivedFiles(final Path directory, final PartFiles parts, final boolean withAttributes) {
        this.directory = directory;
        this.parts = parts;
        this.withAttributes = withAttributes;
    }

    /** Writes and syncs a FlowFile. */
    void stage(final ReceivedPacket packet) throws IOException {
        final Path content = parts.next();
        final Path attributes = withAttributes ? parts.next() : null;
        staged.add(new Staged(nameOf(packet.attributes()), content, attributes));
        try (FileChannel file = open(content);
                InputStream in = packet.content();
                OutputStream out = Channels.newOutputStream(file)) {
            in.transferTo(out);
            file.force(true);
        }
        if (withAttributes) {
            try (FileChannel file = open(attributes)) {
                final ByteBuffer text = StandardCharsets.UTF_8.encode(text(packet.attributes()));
                while (text.hasRemaining()) {
                    file.write(text);
                }
                file.force(true);
            }
        }
    }

    private static FileChannel open(final Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private static String text(final Map<String, String> attributes) throws IOException {
        final Properties properties = new Properties();
        properties.putAll(attributes);
        final StringWriter text = new StringWriter();
        properties.store(text, null);
        return text.toString();
    }

    /** @return the last part of the attribute filename, which comes from elsewhere: what could lead out of the directory is gone */
    private static String nameOf(final Map<String, String> attributes) {
        final String whole = attributes.getOrDefault("filename", "");
        final String last = whole.substring(Math.max(whole.lastIndexOf('/'), whole.lastIndexOf('\\')) + 1);
        // Without the blanks first: behind them a name may begin with a dot.
        final String safe = PrintedText.of(last.strip()).replaceFirst("^\\.", "_");
        final int bytes = safe.getBytes(StandardCharsets.UTF_8).length;
        if (safe.isEmpty() || bytes > LONGEST_NAME || !isPath(safe)) {
            return "flowfile-" + UUID.randomUUID();
        }
        return safe;
    }

    private static boolean isPath(final String name) {
        try {
            // On Windows C:name is a path to another drive.
            return Path.of(name).getNameCount() == 1 && Path.of(name).getRoot() == null;
        } catch (final InvalidPathException e) {
            // The file system's encoding has no such characters.
            return false;
        }
    }

    /** Gives all files their names, and syncs the directory; if that fails none has its name. */
    void publish() throws IOException {
        try {
            for (final Staged file : staged) {
                publish(file);
            }
            syncDirectory();
        } catch (final IOException e) {
            withdraw(e);
            throw e;
        }
    }

    /** Deletes the files that have their names, since NiFi will give them again. */
    void withdraw(final IOException cause) {
        for (final Path file : published) {
            try {
                Files.deleteIfExists(file);
            } catch (final IOException e) {
                cause.addSuppressed(e);
            }
        }
        published.clear();
    }

    private void publish(final Staged file) throws IOException {
        for (int number = 0; true; number++) {
            final String name = number == 0 ? file.name() : file.name() + "." + number;
            final Path target = directory.resolve(name);
            if (file.attributes() == null) {
                if (isNamed(file.content(), target)) {
                    return;
                }
                continue;
            }
            final Path beside = directory.resolve(name + ATTRIBUTES);
            if (!Files.exists(target) && isNamed(file.attributes(), beside)) {
                if (isNamed(file.content(), target)) {
                    return;
                }
                published.remove(beside);
                Files.move(beside, file.attributes(), StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    /** @return false if there is a file of that name, which stays as it is */
    private boolean isNamed(final Path part, final Path target) throws IOException {
        try {
            rename(part, target);
        } catch (final FileAlreadyExistsException e) {
            return false;
        }
        published.add(target);
        return true;
    }

    private static void rename(final Path part, final Path target) throws IOException {
        try {
            Files.createLink(target, part);
        } catch (final FileAlreadyExistsException e) {
            throw e;
        } catch (final UnsupportedOperationException | FileSystemException e) {
            // A file system without links: the name is taken by an empty file, which is then replaced.
            Files.createFile(target);
            replace(target, part);
            return;
        }
        // The target has its name even if somebody cleans up by hand at this moment.
        Files.deleteIfExists(part);
    }

    private static void replace(final Path empty, final Path part) throws IOException {
        try {
            Files.move(part, empty, StandardCopyOption.ATOMIC_MOVE);
        } catch (final IOException e) {
            Files.deleteIfExists(empty);
            throw e;
        }
    }

    private void syncDirectory() throws IOException {
        if (File.separatorChar == '/') {
            try (FileChannel opened = FileChannel.open(directory, StandardOpenOption.READ)) {
                opened.force(true);
            }
        }
    }

    /** @return how many FlowFiles were staged */
    int flowFiles() {
        return staged.size();
    }

    /** @return the files that have their names */
    List<Path> published() {
        return published;
    }

    /** Deletes what has no name yet. */
    void discardParts() throws IOException {
        for (final Staged file : staged) {
            Files.deleteIfExists(file.content());
            if (file.attributes() != null) {
                Files.deleteIfExists(file.attributes());
            }
        }
    }
}
