// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of this process. Lives on the test's thread. */
@DisplayName("The usage of a process")
class ProcessUsageTest {
    private static final int MAPPED_BYTES = 32 * 1024 * 1024;

    @TempDir
    private Path directory;

    private static long bytesOfFiles() {
        final ProcessUsage usage = ProcessUsage.of(ProcessHandle.current());
        return usage.residentBytes() - usage.anonymousBytes();
    }

    @Test
    @DisplayName("counts a mapped file as resident and not as anonymous memory")
    void mappedFile() throws IOException {
        final long before = bytesOfFiles();
        try (RandomAccessFile file =
                new RandomAccessFile(directory.resolve("mapped").toFile(), "rw")) {
            final MappedByteBuffer mapped = file.getChannel().map(MapMode.READ_WRITE, 0, MAPPED_BYTES);
            mapped.put(new byte[MAPPED_BYTES]);
            final long more = bytesOfFiles() - before;
            assertTrue(more > MAPPED_BYTES / 2, () -> more + " bytes more of " + MAPPED_BYTES);
        }
    }
}
