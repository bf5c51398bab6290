// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.nios2s.harness.HarnessException;

/**
 * The log of a NiFi since it was started. Immutable; any thread.
 *
 * @param directory of its log files
 * @param offset    bytes that the file of NiFi's own log had before
 */
public record NifiLog(Path directory, long offset) {

    private static final String APPLICATION_LOG = "nifi-app.log";

    /** The log in a directory from now on: what was there before is left out. */
    static NifiLog fromHere(final Path directory) {
        return new NifiLog(
                directory, directory.resolve(APPLICATION_LOG).toFile().length());
    }

    /** The file of NiFi's own log. */
    public Path file() {
        return directory.resolve(APPLICATION_LOG);
    }

    /** The file that has what NiFi wrote to standard output and error. */
    public Path consoleFile() {
        return directory.resolve("nifi-console.log");
    }

    /** Every line of NiFi's own log. */
    public List<String> lines() {
        try (FileChannel channel = FileChannel.open(file())) {
            channel.position(channel.size() >= offset ? offset : 0);
            final byte[] text = Channels.newInputStream(channel).readAllBytes();
            return new String(text, StandardCharsets.UTF_8).lines().toList();
        } catch (final NoSuchFileException e) {
            return List.of();
        } catch (final IOException e) {
            throw new HarnessException("Cannot read " + file(), e);
        }
    }

    public List<String> linesWith(final String text) {
        return lines().stream().filter(line -> line.contains(text)).toList();
    }

    /** The last lines of what NiFi wrote to standard output and error. */
    List<String> consoleTail(final int count) {
        try {
            final List<String> lines = Files.readAllLines(consoleFile());
            return lines.subList(Math.max(0, lines.size() - count), lines.size());
        } catch (final IOException e) {
            return List.of("Cannot read " + consoleFile() + ": " + e);
        }
    }
}
