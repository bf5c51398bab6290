// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.listener.limits.PeerKey;

/** What a process leaves to the next one, whatever happened to the file meanwhile. Lives on the test's thread. */
@DisplayName("The file of packets in doubt")
class DoubtFileTest {
    private static final Sender SENDER = Sender.of("port", new PeerKey("CN=peer, O=nowhere"));
    private static final long KEPT = Duration.ofMinutes(10).toNanos();
    private static final long COMMITTED = Long.MAX_VALUE - 5;
    private static final long NOW = COMMITTED + 10;
    private static final int FIRST_RECORD = 128;

    @TempDir
    private Path directory;

    private Path path;
    private Path bootId;

    @BeforeEach
    void boot() throws IOException {
        path = directory.resolve("file");
        bootId = Files.writeString(directory.resolve("boot_id"), "2d5c1a62-0001\n");
    }

    private static Fingerprint packet(final long number) {
        return new Fingerprint("source-" + number, number, -number);
    }

    private static List<Fingerprint> packets(final long... numbers) {
        return LongStream.of(numbers).mapToObj(DoubtFileTest::packet).toList();
    }

    private static DoubtRoom.Commit commit(final long nanos) {
        return new DoubtRoom.Commit(nanos, DoubtFile.NO_SLOT);
    }

    private DoubtFile open() {
        final DoubtFile file = DoubtFile.open(path, bootId);
        file.find(NOW, KEPT);
        return file;
    }

    /** A process that ends without having told the peer. */
    private void leave(final long... numbers) {
        try (DoubtFile file = open()) {
            file.add(SENDER, packets(numbers), index -> commit(COMMITTED + index));
        }
    }

    private static int[] add(final DoubtFile file, final List<Fingerprint> packets) {
        return file.add(SENDER, packets, index -> commit(COMMITTED));
    }

    private List<Fingerprint> found() {
        return found(NOW);
    }

    private List<Fingerprint> found(final long nowNanos) {
        try (DoubtFile file = DoubtFile.open(path, bootId)) {
            return file.find(nowNanos, KEPT).stream()
                    .map(DoubtFile.Found::packet)
                    .toList();
        }
    }

    private void overwrite(final long position, final String text) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(text.getBytes()), position);
        }
    }

    @Test
    @DisplayName("has what was added and not removed, in the order of the commits")
    void left() {
        final Fingerprint longest = new Fingerprint("u".repeat(64), Long.MAX_VALUE, Long.MIN_VALUE);
        try (DoubtFile file = open()) {
            final int[] told = add(file, packets(1, 2));
            file.add(SENDER, Arrays.asList(packet(3), null, longest), index -> commit(COMMITTED + index));
            file.add(SENDER, packets(4), index -> commit(COMMITTED + 1));
            file.remove(told);
        }
        assertEquals(List.of(packet(3), packet(4), longest), found());
        try (DoubtFile file = DoubtFile.open(path, bootId)) {
            final List<DoubtFile.Found> found = file.find(NOW, KEPT);
            assertEquals(SENDER, found.getFirst().sender());
            assertEquals(COMMITTED + 2, found.getLast().commit().sinceNanos());
            found.forEach(packet -> file.remove(packet.commit().slot()));
        }
        assertEquals(List.of(), found());
    }

    @Test
    @DisplayName("has nothing that is too old, or that was committed later than now")
    void outOfTime() {
        leave(1);
        assertEquals(packets(1), found(COMMITTED + KEPT));
        assertEquals(List.of(), found(COMMITTED + KEPT + 1));
        assertEquals(List.of(), found());
        leave(1);
        assertEquals(List.of(), found(COMMITTED - 1));
    }

    @Test
    @DisplayName("has places for others beside a transaction of any size, and gives places back")
    void full() {
        try (DoubtFile file = open()) {
            final int[] slots =
                    add(file, packets(LongStream.range(0, DoubtFile.SLOTS + 10).toArray()));
            assertEquals(
                    DoubtFile.SLOTS / 2,
                    Arrays.stream(slots)
                            .filter(slot -> slot != DoubtFile.NO_SLOT)
                            .distinct()
                            .count());
            int others = 0;
            while (add(file, packets(1))[0] != DoubtFile.NO_SLOT) {
                others++;
            }
            assertEquals(DoubtFile.SLOTS / 2, others);
            file.remove(slots);
            assertEquals(
                    DoubtFile.SLOTS / 2,
                    Arrays.stream(slots)
                            .filter(slot -> add(file, packets(2))[0] > 0)
                            .count());
        }
    }

    @Test
    @DisplayName("has no packet for longer than a moment whose peer was told")
    void told() {
        try (DoubtFile file = open()) {
            add(file, packets(1));
            file.remove(add(file, packets(2, 3, 4)));
            await().atMost(Duration.ofSeconds(20)).until(() -> found().equals(packets(1)));
        }
    }

    @Test
    @DisplayName("is empty after the system has started again: its disk may have lost what NiFi had committed")
    void otherBoot() throws IOException {
        leave(1);
        Files.writeString(bootId, "2d5c1a62-0002\n");
        assertEquals(List.of(), found());
        leave(2);
        assertEquals(packets(2), found());
    }

    @Test
    @DisplayName("is not used where the system does not tell its boots apart")
    void noBoot() throws IOException {
        Files.delete(bootId);
        leave(1);
        assertTrue(Files.notExists(path));
    }

    @Test
    @DisplayName("is empty if it was copied from another place, as a backup of the repository is")
    void copied() throws IOException {
        leave(1);
        final Path backup = Files.copy(path, directory.resolve("backup"));
        Files.delete(path);
        // The file system may give the number of the deleted file to the next one.
        Files.writeString(directory.resolve("other"), "takes the number");
        Files.copy(backup, path);
        assertEquals(List.of(), found());
    }

    @Test
    @DisplayName("is replaced if it is of another version, is cut off, or is something else")
    void notOurs() throws IOException {
        leave(1);
        overwrite(0, "nio-s2s-in-doubt 2");
        assertEquals(List.of(), found());
        leave(2);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.truncate(1000);
        }
        assertEquals(List.of(), found());
        Files.writeString(path, "anything");
        assertEquals(List.of(), found());
        leave(3);
        assertEquals(packets(3), found());
    }

    @Test
    @DisplayName("leaves out what is damaged")
    void damaged() throws IOException {
        leave(1, 2, 3);
        overwrite(FIRST_RECORD + 50, "X");
        assertEquals(packets(2, 3), found());
        assertEquals(packets(2, 3), found());
    }

    @Test
    @DisplayName("is not used where there is no room for it, or no directory")
    void noRoom() {
        for (final Path bad : List.of(Path.of("/dev/full"), directory, directory.resolve("none/file"))) {
            try (DoubtFile file = DoubtFile.open(bad, bootId)) {
                assertEquals(List.of(), file.find(NOW, KEPT));
                final int[] slots = add(file, packets(1, 2));
                assertEquals(0, slots.length);
                file.remove(slots);
            }
        }
    }

    @Test
    @DisplayName("is empty after it was cut off while it was used")
    void cutOff() throws IOException {
        try (DoubtFile file = open()) {
            final int[] slots = add(file, packets(1));
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                channel.truncate(0);
            }
            file.remove(slots);
            add(file, packets(1));
        }
        assertEquals(List.of(), found());
        leave(2);
        assertEquals(packets(2), found());
    }

    @Test
    @DisplayName("is emptied by any failure, so that nothing is found of what is answered later")
    void failed() throws IOException {
        try (DoubtFile file = open()) {
            final int[] slots = add(file, packets(1));
            final int[] failed = file.add(SENDER, packets(2, 3), index -> {
                throw new InternalError("a fault");
            });
            assertEquals(0, failed.length);
            assertEquals(0, Files.size(path));
            file.remove(slots);
            assertEquals(0, add(file, packets(4)).length);
        }
        assertEquals(List.of(), found());
    }

    @Test
    @DisplayName("is emptied, and nothing else, if it can't be read")
    void unreadable() throws IOException {
        leave(1);
        try (DoubtFile file = DoubtFile.open(path, bootId)) {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                channel.truncate(1000);
            }
            assertEquals(List.of(), file.find(NOW, KEPT));
            assertEquals(0, add(file, packets(2)).length);
        }
        assertEquals(0, Files.size(path));
    }

    @Test
    @DisplayName("is deleted if it can't be used, or is not wanted")
    void discarded() throws IOException {
        leave(1);
        assertEquals(List.of(), DoubtFile.open(path, directory).find(NOW, KEPT));
        assertTrue(Files.notExists(path));
        final Path named = Files.writeString(directory.resolve("nio-s2s-in-doubt"), "of an earlier start");
        DoubtFile.absentFrom(directory);
        assertTrue(Files.notExists(named));
    }

    @Test
    @DisplayName("is kept by a thread that is interrupted, as a port task may be")
    void interrupted() {
        try (DoubtFile file = open()) {
            Thread.currentThread().interrupt();
            add(file, packets(1));
            assertTrue(Thread.interrupted());
            add(file, packets(2));
        }
        assertEquals(2, found().size());
    }

    @Test
    @DisplayName("does not hold up a thread that takes packets out while the disk is slow")
    void slowDisk() {
        try (DoubtFile file = open()) {
            final int[] slots = add(file, packets(1));
            synchronized (file) {
                assertTimeoutPreemptively(Duration.ofSeconds(20), () -> file.remove(slots));
            }
        }
        assertEquals(List.of(), found());
    }
}
