// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The packets that were committed and whose answer has not left, in a file that is mapped into memory: so a NiFi that was killed knows
 * them after its next start. Thread-safe: its lock is held to find free slots, and not to write.
 *
 * <p>Nothing is forced to the disk, as NiFi does not force its own repositories. After a crash of the operating system the file could
 * know of packets that the FlowFile repository has lost. So a file is good only for the boot in which it was made. It lies in the
 * FlowFile repository and is not good in another place: who deletes or replaces the repository deletes or replaces the file.
 *
 * <p>A kill tears no slot: its check is written last, and cleared first.
 */
final class DoubtFile implements AutoCloseable {
    /** Packets that have a place; all others are forgotten with the process. */
    static final int SLOTS = 16_384;

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

    private static final byte[] NOTHING = new byte[PacketHash.MAX_UUID_LENGTH];
    private static final long PRIME = 0x9E3779B97F4A7C15L;
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final Path path;
    private final FileChannel channel;
    private final ByteBuffer mapped;
    private final int[] free = new int[SLOTS];
    private int freeSlots;
    private volatile boolean isOpen;

    /**
     * A packet that was in doubt when the process ended.
     *
     * @param sinceNanos when it was committed, as {@link System#nanoTime}, which goes on while the system runs
     * @param slot where it is
     */
    record Found(Sender sender, Fingerprint packet, long sinceNanos, int slot) {}

    private DoubtFile(final Path path, final FileChannel channel, final ByteBuffer mapped) {
        this.path = path;
        this.channel = channel;
        this.mapped = mapped;
        if (channel != null) {
            mapped.order(ByteOrder.LITTLE_ENDIAN);
            isOpen = true;
        }
    }

    /** @return a file that keeps nothing */
    static DoubtFile none() {
        return new DoubtFile(null, null, null);
    }

    /** @return the file in NiFi's FlowFile repository, or one that keeps nothing if it can't be used, which is logged */
    static DoubtFile in(final Path repository) {
        return open(repository.resolve(NAME), BOOT_ID);
    }

    static DoubtFile open(final Path path, final Path bootId) {
        if (!Files.isReadable(bootId)) {
            logger.info("{} does not exist: packets in doubt are forgotten when NiFi is killed", bootId);
            return none();
        }
        FileChannel channel = null;
        try {
            channel = FileChannel.open(
                    path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            lock(channel);
            final Object key =
                    Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            prepare(path, channel, VERSION + Files.readString(bootId).trim() + " " + key);
            return new DoubtFile(path, channel, channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES));
        } catch (final IOException | RuntimeException e) {
            closeQuietly(channel);
            logger.warn(
                    "{} can't be used: {}. The listener serves without it: packets in doubt are forgotten when NiFi is killed. Remove"
                            + " the cause and restart NiFi",
                    path,
                    e.toString());
            return none();
        }
    }

    private static void lock(final FileChannel channel) throws IOException {
        FileLock lock = null;
        try {
            lock = channel.tryLock();
        } catch (final OverlappingFileLockException e) {
            logger.debug("The lock is held in this process", e);
        }
        if (lock == null) {
            throw new IOException("another NiFi uses it");
        }
    }

    /** Makes the file empty unless it is from here. */
    private static void prepare(final Path path, final FileChannel channel, final String origin) throws IOException {
        final byte[] header = Arrays.copyOf(origin.getBytes(StandardCharsets.US_ASCII), SLOT_BYTES);
        final ByteBuffer found = ByteBuffer.allocate(SLOT_BYTES);
        channel.read(found, 0);
        if (channel.size() == FILE_BYTES && Arrays.equals(found.array(), header)) {
            return;
        }
        final boolean isOfThisVersion = new String(found.array(), StandardCharsets.US_ASCII).startsWith(VERSION)
                && channel.size() == FILE_BYTES;
        if (channel.size() > 0 && !isOfThisVersion) {
            logger.warn(
                    "{} is damaged, or of another version of the listener. It is replaced, and what it knew is forgotten",
                    path);
        }
        channel.truncate(FILE_BYTES);
        // Written, not left as a hole: on a full disk this fails here, and not when the memory is used.
        write(channel, ByteBuffer.allocate(FILE_BYTES - SLOT_BYTES), SLOT_BYTES);
        write(channel, ByteBuffer.wrap(header), 0);
    }

    private static void write(final FileChannel channel, final ByteBuffer bytes, final long position)
            throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes, position + bytes.position());
        }
    }

    private static void closeQuietly(final FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
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
    List<Found> find(final long nowNanos, final long keptNanos) {
        final List<Found> found = new ArrayList<>();
        if (!isOpen) {
            return found;
        }
        int damaged = 0;
        for (int slot = SLOTS; slot > 0; slot--) {
            final Found packet = read(slot);
            if (packet != null && isRecent(nowNanos - packet.sinceNanos, keptNanos)) {
                found.add(packet);
                continue;
            }
            if (packet == null && mapped.getLong(slot * SLOT_BYTES) != 0) {
                damaged++;
            }
            clear(slot);
            free[freeSlots] = slot;
            freeSlots++;
        }
        if (damaged > 0) {
            logger.warn("{} is damaged: {} packets in doubt are forgotten", path, damaged);
        }
        found.sort(Comparator.comparingLong(packet -> packet.sinceNanos - nowNanos));
        return found;
    }

    private static boolean isRecent(final long ageNanos, final long keptNanos) {
        return ageNanos >= 0 && ageNanos <= keptNanos;
    }

    /** @return the packet in a slot, or null if there is none that is whole */
    private Found read(final int slot) {
        final int at = slot * SLOT_BYTES;
        if (mapped.getLong(at) != checkOf(at)) {
            return null;
        }
        final byte[] uuid = new byte[PacketHash.MAX_UUID_LENGTH];
        mapped.get(at + UUID, uuid);
        int uuidLength = 0;
        while (uuidLength < uuid.length && uuid[uuidLength] != 0) {
            uuidLength++;
        }
        return new Found(
                new Sender(mapped.getLong(at + SENDER), mapped.getLong(at + SENDER + Long.BYTES)),
                new Fingerprint(
                        new String(uuid, 0, uuidLength, StandardCharsets.US_ASCII),
                        mapped.getLong(at + LENGTH),
                        mapped.getLong(at + CHECKSUM)),
                mapped.getLong(at + SINCE),
                slot);
    }

    /** @return of what is in a slot; never 0, which stands for an empty one */
    private long checkOf(final int at) {
        long check = 1;
        for (int field = at + SENDER; field < at + UUID_END; field += Long.BYTES) {
            check = Long.rotateLeft(check ^ mapped.getLong(field), 29) * PRIME;
        }
        return check | 1;
    }

    /**
     * Keeps packets of a transaction, as many as there is room for. A packet without fingerprint is null.
     *
     * @param sinceNanos when a packet was committed, by its index
     * @return the slot of each packet, or {@link #NO_SLOT}
     */
    int[] add(final Sender sender, final List<Fingerprint> packets, final IntToLongFunction sinceNanos) {
        final int[] slots = new int[packets.size()];
        Arrays.fill(slots, NO_SLOT);
        if (isOpen) {
            take(slots, packets);
            try {
                for (int i = 0; i < slots.length; i++) {
                    if (slots[i] != NO_SLOT) {
                        write(slots[i], sender, packets.get(i), sinceNanos.applyAsLong(i));
                    }
                }
            } catch (final InternalError | RuntimeException e) {
                failed(e);
            }
        }
        return slots;
    }

    private synchronized void take(final int[] slots, final List<Fingerprint> packets) {
        for (int i = 0; i < slots.length && freeSlots > 0; i++) {
            if (packets.get(i) != null) {
                freeSlots--;
                slots[i] = free[freeSlots];
            }
        }
    }

    private void write(final int slot, final Sender sender, final Fingerprint packet, final long sinceNanos) {
        final int at = slot * SLOT_BYTES;
        mapped.putLong(at + SENDER, sender.hash1());
        mapped.putLong(at + SENDER + Long.BYTES, sender.hash2());
        mapped.putLong(at + SINCE, sinceNanos);
        mapped.putLong(at + LENGTH, packet.length());
        mapped.putLong(at + CHECKSUM, packet.checksum());
        final byte[] uuid = packet.uuid().getBytes(StandardCharsets.US_ASCII);
        mapped.put(at + UUID, uuid);
        mapped.put(at + UUID + uuid.length, NOTHING, 0, PacketHash.MAX_UUID_LENGTH - uuid.length);
        LONG.setRelease(mapped, at + CHECK, checkOf(at));
    }

    private void clear(final int slot) {
        LONG.setRelease(mapped, slot * SLOT_BYTES + CHECK, 0L);
    }

    /** The packets are not in doubt any more, or their peer is about to be told. */
    void remove(final int... slots) {
        if (!isOpen) {
            return;
        }
        try {
            for (final int slot : slots) {
                if (slot != NO_SLOT) {
                    clear(slot);
                }
            }
        } catch (final InternalError | RuntimeException e) {
            failed(e);
        }
        synchronized (this) {
            for (final int slot : slots) {
                if (slot != NO_SLOT) {
                    free[freeSlots] = slot;
                    freeSlots++;
                }
            }
        }
    }

    /** The system can't write the memory to the disk, or somebody has made the file shorter. */
    private synchronized void failed(final Throwable cause) {
        if (isOpen) {
            isOpen = false;
            logger.warn(
                    "{} can't be written: {}. The listener serves on without it: packets in doubt are forgotten when NiFi is killed."
                            + " Remove the cause and restart NiFi",
                    path,
                    cause.toString());
        }
    }

    /** What is in doubt stays in the file, for the next start. */
    @Override
    public void close() {
        isOpen = false;
        closeQuietly(channel);
    }
}
