// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import org.nios2s.listener.fault.Guarded;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The packets that were committed and whose peers have not shown that they know, in a file: so a NiFi that was killed knows them after
 * its next start. Thread-safe. Packets are added on the thread that has committed them. They are taken out on a thread of the file's
 * own, so no IO worker waits for the disk.
 *
 * <p>Nothing is forced to the disk, as NiFi does not force its own repositories. After a crash of the operating system the file could
 * know of packets that the FlowFile repository has lost. So a file is good only for the boot in which it was made. It lies in the
 * FlowFile repository and is not good in another place: a copy of the repository has no packets in doubt.
 *
 * <p>A file that can't be kept up to date would count packets as stored whose peers were told. So after any failure nothing of it
 * stays.
 */
public final class DoubtFile implements AutoCloseable {
    /** Places: one for each packet that the room remembers, and others for those that are being answered. */
    static final int SLOTS = 131_072;

    static final int NO_SLOT = -1;

    private static final Logger logger = LoggerFactory.getLogger(DoubtFile.class);

    private static final String NAME = "nio-s2s-in-doubt";
    private static final String VERSION = NAME + " 1 ";
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private static final int SLOT_BYTES = 128;
    private static final int CHECK = 0;
    private static final int SENDER = 8;
    private static final int SINCE = 24;
    private static final int LENGTH = 32;
    private static final int CHECKSUM = 40;
    private static final int UUID = 48;
    private static final int UUID_END = UUID + PacketHash.MAX_UUID_LENGTH;

    /** The first slot is the header's. */
    private static final int FILE_BYTES = (SLOTS + 1) * SLOT_BYTES;

    private static final long PRIME = 0x9E3779B97F4A7C15L;
    private static final byte[] EMPTY = new byte[SLOT_BYTES];
    private static final int[] NO_SLOTS = {};
    private static final long CLOSE_SECONDS = 5;

    /** So long packets stay that are not in doubt any more. Meanwhile most of their slots are written again. */
    private static final long CLEAR_MILLIS = 10;

    /** Slots that are written in one call if they follow one another. */
    private static final int ROW = 64;

    private static final DoubtFile NONE = new DoubtFile(null, null);

    private final Path path;
    /** Not a channel, which an interrupt of a port task would close. Nor mapped: a slow disk would hold up the whole JVM. */
    private final RandomAccessFile file;

    private final FreeSlots free;
    private volatile boolean isOpen;
    private final ScheduledExecutorService clearing =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("Site-to-Site NIO Doubt File", true));

    private final AtomicBoolean isClearingDue = new AtomicBoolean();
    /** What is to be written from {@link #rowStart} on; guarded by this object, as the file is. */
    private final ByteBuffer row = ByteBuffer.allocate(ROW * SLOT_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    private int rowStart;

    /**
     * A packet that was in doubt when the process ended.
     *
     * @param commit when it was, as {@link System#nanoTime}, which goes on while the system runs
     */
    record Found(Sender sender, Fingerprint packet, DoubtRoom.Commit commit) {
        private long sinceNanos() {
            return commit.sinceNanos();
        }
    }

    /** The slots of no packet, those that were used last on top. Thread-safe: one lock, never held while the disk is waited for. */
    private static final class FreeSlots {
        private final int[] slots = new int[SLOTS];
        private int count;
        /** So many, from below, are empty. In the others stands what is not in doubt any more. */
        private int empty;

        /** @return a slot, or {@link #NO_SLOT} if no more than some are left */
        synchronized int take(final int left) {
            if (count <= left) {
                return NO_SLOT;
            }
            count--;
            empty = Math.min(empty, count);
            return slots[count];
        }

        synchronized void give(final int slot) {
            slots[count] = slot;
            count++;
        }

        synchronized int count() {
            return count;
        }

        /** @return those that are not empty, which the caller empties */
        synchronized int[] takeOver() {
            final int[] used = Arrays.copyOfRange(slots, empty, count);
            empty = count;
            return used;
        }
    }

    private DoubtFile(final Path path, final RandomAccessFile file) {
        this.path = path;
        this.file = file;
        this.isOpen = file != null;
        this.free = isOpen ? new FreeSlots() : null;
    }

    /** @return a file that keeps nothing */
    public static DoubtFile none() {
        return NONE;
    }

    /**
     * Deletes the file that an earlier start may have left: packets that come meanwhile are not looked for there.
     *
     * @return a file that keeps nothing
     */
    public static DoubtFile absentFrom(final Path repository) {
        delete(repository.resolve(NAME));
        return NONE;
    }

    /** @return the file in NiFi's FlowFile repository, or one that keeps nothing if it can't be used, which is logged */
    public static DoubtFile in(final Path repository) {
        return open(repository.resolve(NAME), BOOT_ID);
    }

    static DoubtFile open(final Path path, final Path bootId) {
        if (!Files.isReadable(bootId)) {
            logger.info("{} does not exist: packets in doubt are forgotten when NiFi is killed", bootId);
            delete(path);
            return NONE;
        }
        RandomAccessFile file = null;
        try {
            file = new RandomAccessFile(path.toFile(), "rw");
            final Object key =
                    Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            prepare(path, file, VERSION + Files.readString(bootId).trim() + " " + key);
            return new DoubtFile(path, file);
        } catch (final Throwable e) {
            closeQuietly(file);
            delete(path);
            logger.warn(
                    "{} can't be used: {}. The listener serves without it: packets in doubt are forgotten when NiFi is killed. Remove"
                            + " the cause and restart NiFi",
                    path,
                    e.toString());
            return NONE;
        }
    }

    private static void delete(final Path path) {
        try {
            if (Files.isRegularFile(path)) {
                Files.delete(path);
            }
        } catch (final IOException e) {
            logger.warn(
                    "{} can't be deleted: {}. Delete it before the next start of NiFi: it knows of packets that may have been answered",
                    path,
                    e.toString());
        }
    }

    /** Makes the file empty unless it is from here. */
    private static void prepare(final Path path, final RandomAccessFile file, final String origin) throws IOException {
        final byte[] header = Arrays.copyOf(origin.getBytes(StandardCharsets.US_ASCII), SLOT_BYTES);
        final byte[] found = new byte[SLOT_BYTES];
        final boolean isComplete = file.length() == FILE_BYTES;
        if (isComplete) {
            file.readFully(found);
            if (Arrays.equals(found, header)) {
                return;
            }
        }
        final boolean isOfThisVersion = new String(found, StandardCharsets.US_ASCII).startsWith(VERSION);
        if (file.length() > 0 && !isOfThisVersion) {
            logger.warn(
                    "{} is damaged, or of another version of the listener. It is replaced, and what it knew is forgotten",
                    path);
        }
        file.setLength(0);
        // Written, not left as a hole: on a full disk this fails here, and not when packets are added.
        file.write(new byte[FILE_BYTES]);
        // Last: until then the file is of no version.
        file.seek(0);
        file.write(header);
    }

    private static void closeQuietly(final RandomAccessFile file) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (final IOException e) {
            logger.debug("A file was not closed", e);
        }
    }

    /**
     * Reads what the process before has left; to be called once, before anything is added.
     *
     * @return the packets that were in doubt for no longer than is wanted, in the order of their commits
     */
    synchronized List<Found> find(final long nowNanos, final long keptNanos) {
        if (!isOpen) {
            return List.of();
        }
        try {
            final ByteBuffer all = ByteBuffer.allocate(FILE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            file.seek(0);
            file.readFully(all.array());
            final List<Found> found = new ArrayList<>();
            int damaged = 0;
            for (int slot = SLOTS; slot > 0; slot--) {
                final ByteBuffer bytes =
                        all.slice(slot * SLOT_BYTES, SLOT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
                final Found packet = read(bytes, slot);
                if (packet != null && isRecent(nowNanos - packet.sinceNanos(), keptNanos)) {
                    found.add(packet);
                    continue;
                }
                if (packet == null && bytes.getLong(CHECK) != 0) {
                    damaged++;
                }
                free.give(slot);
                if (bytes.getLong(CHECK) != 0) {
                    empty(slot);
                }
            }
            flush();
            free.takeOver();
            if (damaged > 0) {
                logger.warn("{} is damaged: {} packets in doubt are forgotten", path, damaged);
            }
            found.sort(Comparator.comparingLong(packet -> packet.sinceNanos() - nowNanos));
            return found;
        } catch (final Throwable e) {
            failed(e);
            return List.of();
        }
    }

    private static boolean isRecent(final long ageNanos, final long keptNanos) {
        return ageNanos >= 0 && ageNanos <= keptNanos;
    }

    /** @return the packet in a slot, or null if there is none that is whole */
    private static Found read(final ByteBuffer bytes, final int slot) {
        if (bytes.getLong(CHECK) != checkOf(bytes)) {
            return null;
        }
        final byte[] uuid = new byte[PacketHash.MAX_UUID_LENGTH];
        bytes.get(UUID, uuid);
        int uuidLength = 0;
        while (uuidLength < uuid.length && uuid[uuidLength] != 0) {
            uuidLength++;
        }
        return new Found(
                new Sender(bytes.getLong(SENDER), bytes.getLong(SENDER + Long.BYTES)),
                new Fingerprint(
                        new String(uuid, 0, uuidLength, StandardCharsets.US_ASCII),
                        bytes.getLong(LENGTH),
                        bytes.getLong(CHECKSUM)),
                new DoubtRoom.Commit(bytes.getLong(SINCE), slot));
    }

    /** @return of what is in a slot; never 0, which stands for an empty one */
    private static long checkOf(final ByteBuffer bytes) {
        long check = 1;
        for (int field = SENDER; field < UUID_END; field += Long.BYTES) {
            check = Long.rotateLeft(check ^ bytes.getLong(field), 29) * PRIME;
        }
        return check | 1;
    }

    /**
     * Keeps packets of a transaction, in no more than half of the free slots. A packet without fingerprint is null.
     *
     * @param commitOf when a packet was committed, and the slot that it has already, by its index
     * @return the slot of each packet, or {@link #NO_SLOT}; empty if nothing is kept
     */
    int[] add(final Sender sender, final List<Fingerprint> packets, final IntFunction<DoubtRoom.Commit> commitOf) {
        if (!isOpen) {
            return NO_SLOTS;
        }
        synchronized (this) {
            try {
                final int left = free.count() / 2;
                final int[] slots = new int[packets.size()];
                for (int i = 0; i < slots.length; i++) {
                    final DoubtRoom.Commit commit = commitOf.apply(i);
                    slots[i] = commit.slot();
                    if (slots[i] == NO_SLOT && packets.get(i) != null && isOpen) {
                        slots[i] = free.take(left);
                        write(slots[i], sender, packets.get(i), commit.sinceNanos());
                    }
                }
                flush();
                return slots;
            } catch (final Throwable e) {
                failed(e);
                return NO_SLOTS;
            }
        }
    }

    private void write(final int slot, final Sender sender, final Fingerprint packet, final long sinceNanos)
            throws IOException {
        if (slot == NO_SLOT) {
            return;
        }
        final ByteBuffer bytes = inRow(slot);
        bytes.putLong(SENDER, sender.hash1());
        bytes.putLong(SENDER + Long.BYTES, sender.hash2());
        bytes.putLong(SINCE, sinceNanos);
        bytes.putLong(LENGTH, packet.length());
        bytes.putLong(CHECKSUM, packet.checksum());
        bytes.put(UUID, packet.uuid().getBytes(StandardCharsets.US_ASCII));
        bytes.putLong(CHECK, checkOf(bytes));
    }

    private void empty(final int slot) throws IOException {
        inRow(slot);
    }

    /** @return the bytes of a slot, all zero, which are written with the others of their row */
    private ByteBuffer inRow(final int slot) throws IOException {
        final boolean follows = slot == rowStart + row.position() / SLOT_BYTES;
        if (!follows || !row.hasRemaining()) {
            flush();
            rowStart = slot;
        }
        row.put(EMPTY);
        return row.slice(row.position() - SLOT_BYTES, SLOT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void flush() throws IOException {
        if (row.position() > 0) {
            file.seek((long) rowStart * SLOT_BYTES);
            file.write(row.array(), 0, row.position());
            row.clear();
        }
    }

    /** The packets are not in doubt any more. Returns at once. */
    void remove(final int... slots) {
        if (!isOpen) {
            return;
        }
        boolean isSome = false;
        // The last one first: so the next packets get them in their order, and are written in one call.
        for (int i = slots.length - 1; i >= 0; i--) {
            if (slots[i] != NO_SLOT) {
                free.give(slots[i]);
                isSome = true;
            }
        }
        if (isSome && isClearingDue.compareAndSet(false, true)) {
            clearSoon();
        }
    }

    private void clearSoon() {
        try {
            clearing.schedule(this::clear, CLEAR_MILLIS, TimeUnit.MILLISECONDS);
        } catch (final RejectedExecutionException e) {
            logger.debug("{} is being closed, which clears it", path, e);
        } catch (final Throwable e) {
            failed(e);
        }
    }

    private synchronized void clear() {
        if (!isOpen) {
            return;
        }
        try {
            isClearingDue.set(false);
            // A slot that is taken meanwhile is written afterwards, under this lock.
            for (final int slot : free.takeOver()) {
                empty(slot);
            }
            flush();
        } catch (final Throwable e) {
            failed(e);
        }
    }

    /** The file can't be read or written. */
    private synchronized void failed(final Throwable cause) {
        if (!isOpen) {
            return;
        }
        isOpen = false;
        try {
            file.setLength(0);
        } catch (final Throwable e) {
            logger.debug("{} can't be emptied", path, e);
            delete(path);
        }
        closeQuietly(file);
        logger.warn(
                "{} can't be read or written: {}. The listener serves on without it: packets in doubt are forgotten when NiFi is killed."
                        + " Remove the cause and restart NiFi",
                path,
                cause.toString());
    }

    /** What is in doubt stays in the file, for the next start. To be called when no answer can leave any more. */
    @Override
    public void close() {
        if (!isOpen) {
            return;
        }
        Guarded.run("Closing " + path, () -> {
            clearing.execute(this::clearAndClose);
            clearing.shutdown();
            // A disk that does not answer is not waited for: the process ends.
            if (!clearing.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                logger.debug("{} is not closed yet", path);
            }
        });
    }

    private synchronized void clearAndClose() {
        clear();
        isOpen = false;
        closeQuietly(file);
    }
}
