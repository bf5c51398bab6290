// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.listener.connection.HostileWay.AT_EACH_PORT;
import static org.nios2s.listener.connection.HostileWay.CLAIMING_ZEROS;
import static org.nios2s.listener.connection.HostileWay.DRIPPING;
import static org.nios2s.listener.connection.HostileWay.LARGE_ATTRIBUTES;
import static org.nios2s.listener.connection.HostileWay.ON_TWO_PORTS;
import static org.nios2s.listener.connection.HostileWay.SILENT;
import static org.nios2s.listener.connection.HostileWay.STALLED;
import static org.nios2s.listener.connection.HostileWay.UNCONFIRMED;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.limits.TestHolder;
import org.nios2s.listener.port.PortDispatcher;
import org.nios2s.listener.port.RecordingPort;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/**
 * Everything that peers share, used up in every {@link HostileWay} by one address or by as many as it takes. Lives on the test's
 * thread, with a clock that the test sets.
 *
 * <p>Not here: a turn to write, which is held while we write and never while a peer does something ({@code ContentWritersTest}), and
 * ports that stand still ({@link BlockedPortsTest}).
 */
@DisplayName("One honest peer at a healthy port")
class SharedAmongPeersTest {
    private static final String OTHER_PORT = "other port";
    private static final int SMALL = 10;
    private static final int IN_MEMORY = 60_000;
    private static final int LARGE = 100_000;
    /** More than may wait to be written. */
    private static final int UNWRITTEN = 300_000;

    /** Twice as many as have memory. */
    private static final int FLEET = 64;

    private static final int FLEET_BYTES = 10_000;

    private static final int STREAMS = 8;

    private static final Duration PATIENCE = Duration.ofSeconds(6);
    /** What a peer may take for its own commit, or for the only memory of its kind. */
    private static final Duration HALF_A_MINUTE = Duration.ofSeconds(30);

    /** Behind the connections of the honest peer and the slow one. */
    private static final int FIRST_HOSTILE = 2;

    private static final Duration STEP = Duration.ofMillis(250);
    /** Only here does an honest peer wait for what others may hold, and the clock goes on. */
    private static final Set<String> WAITS = Set.of(
            "AdmitTransactionStep", "AwaitMemoryStep", "AwaitSessionStep", "AwaitRoomStep", "AwaitFlowFilesStep");

    /** What is used up, and the ways in which a peer can hold some of it at all. */
    private enum Shared {
        /** Each port has its own. */
        PLACES(HonestTransaction.PUSH, SMALL, 10, 7, EnumSet.complementOf(EnumSet.of(ON_TWO_PORTS, AT_EACH_PORT))) {
            @Override
            String[] settings() {
                return new String[] {"request.queue.size", "8"};
            }

            @Override
            boolean isUsedUp(final SteppedListener listener) {
                return listener.dispatchers().inProgress() == 8;
            }
        },
        /** The content fits into a buffer of 8 KiB, which is within what each transaction reserves. */
        MEMORY(HonestTransaction.PUSH, 8_000, 120, 31, EnumSet.complementOf(EnumSet.of(AT_EACH_PORT))) {
            @Override
            boolean isUsedUp(final SteppedListener listener) {
                final SharedResource.Part memory = dispatcher(listener).limits().memory();
                return memory.waiting() > 0
                        || memory.held() == listener.budget().limit() / 2;
            }

            /** A packet that fits into memory: for a larger one it would wait for a permit, and hold none. */
            @Override
            void take(final TestPeer peer, final HostileWay way) throws Exception {
                if (EnumSet.of(STALLED, DRIPPING, ON_TWO_PORTS).contains(way)) {
                    peer.push().out().writeInt(0);
                    peer.out().writeLong(IN_MEMORY);
                    peer.say(new byte[SMALL]);
                } else {
                    super.take(peer, way);
                }
            }

            /** A compressed push reserves memory for its inflater, too: less than that is enough for one that is not compressed. */
            @Override
            boolean leavesTooLittle(final HostileWay way) {
                return !way.compresses();
            }
        },
        /** Of attributes alone. */
        MEMORY_FOR_ATTRIBUTES(HonestTransaction.PUSH, 0, 2, 1, EnumSet.of(STALLED, LARGE_ATTRIBUTES, ON_TWO_PORTS)) {
            @Override
            SharedResource.Grant ofOthers(final SteppedListener listener) {
                final SharedResource.Grant memory = super.ofOthers(listener);
                memory.add(listener.budget().limit() * 15 / 16);
                return memory;
            }

            @Override
            void take(final TestPeer peer, final HostileWay way) throws IOException {
                LARGE_ATTRIBUTES.push(peer, 0);
            }

            @Override
            void goOn(final TestPeer peer, final HostileWay way) throws IOException {
                if (way != STALLED) {
                    LARGE_ATTRIBUTES.goOn(peer);
                }
            }

            @Override
            Map<String, String> honestAttributes() {
                final Map<String, String> attributes = new HashMap<>();
                for (int i = 0; i < 40; i++) {
                    attributes.put("name " + i, "x".repeat(1_000));
                }
                return attributes;
            }

            @Override
            boolean isUsedUp(final SteppedListener listener) {
                return listener.budget().used() > listener.budget().limit();
            }

            /** Until the others wait for it: then the honest peer is admitted, and has no room beyond its reservation. */
            @Override
            void awaitUsedUp(
                    final SteppedListener listener, final List<TestPeer> hostile, final SharedResource.Grant others) {
                sweepUntil(
                        listener,
                        () -> isUsedUp(listener) && listener.stepsNamed("AwaitMemoryStep") == hostile.size() - 1);
                final SharedResource memory = listener.budget().resources().getFirst();
                others.add(memory.max() * 15 / 16 - MemoryBudget.SMALL_BYTES - memory.held());
            }

            @Override
            Duration patience(final HostileWay way) {
                return way == STALLED ? PATIENCE : PATIENCE.plus(HALF_A_MINUTE);
            }
        },
        /** A peer that says nothing does not stream. */
        PERMITS_TO_STREAM(
                HonestTransaction.PUSH, LARGE, 10, 3, EnumSet.complementOf(EnumSet.of(SILENT, AT_EACH_PORT))) {
            @Override
            boolean isUsedUp(final SteppedListener listener) {
                return dispatcher(listener).limits().streaming().held() == 4;
            }
        },
        /** Of which each port has one for itself: at the healthy one the slow peer has it. */
        PERMITS_OF_ALL_PORTS(HonestTransaction.PUSH, LARGE, 6, 0, EnumSet.of(AT_EACH_PORT)) {
            @Override
            boolean isUsedUp(final SteppedListener listener) {
                return dispatcher(listener).limits().streaming().held() == 2;
            }

            @Override
            void awaitUsedUp(
                    final SteppedListener listener, final List<TestPeer> hostile, final SharedResource.Grant others) {
                // More than what is held in memory is read behind a permit alone.
                for (int i = 0; i < hostile.size(); i++) {
                    listener.awaitAllRead(i + FIRST_HOSTILE, hostile.get(i));
                }
                super.awaitUsedUp(listener, hostile, others);
            }
        },
        /** What a pull carries, and whether it compresses well, is NiFi's own. */
        PERMITS_TO_SEND(
                HonestTransaction.PULL, SMALL, 40, 16, EnumSet.of(SILENT, DRIPPING, ON_TWO_PORTS, UNCONFIRMED)) {
            @Override
            void take(final TestPeer peer, final HostileWay way) throws Exception {
                peer.request("RECEIVE_FLOWFILES");
                if (way == UNCONFIRMED) {
                    peer.say(ResponseCode.CONFIRM_TRANSACTION, checksumOfPull());
                } else if (way != SILENT) {
                    endlessConfirmation(peer);
                }
            }

            @Override
            Duration patience(final HostileWay way) {
                return way == UNCONFIRMED ? PATIENCE.plus(HALF_A_MINUTE) : PATIENCE;
            }

            @Override
            boolean isUsedUp(final SteppedListener listener) {
                return dispatcher(listener).limits().sending().held() == 16;
            }
        },
        /** Each port has its own, and only a transaction whose packets are here holds some. */
        ROOM(HonestTransaction.PUSH, SMALL, 12, 8, EnumSet.of(UNCONFIRMED, DRIPPING)) {
            @Override
            SharedResource.Grant ofOthers(final SteppedListener listener) {
                listener.input().backPressure(8);
                return super.ofOthers(listener);
            }

            @Override
            void take(final TestPeer peer, final HostileWay way) throws IOException {
                UNCONFIRMED.push(peer, SMALL);
                if (way == DRIPPING) {
                    endlessConfirmation(peer);
                }
            }

            @Override
            boolean isUsedUp(final SteppedListener listener) {
                return listener.stepsNamed("AwaitConfirmationStep") == 8;
            }
        };

        private final HonestTransaction transaction;
        private final int bytes;
        private final int ofOne;
        private final int ofMany;
        private final Set<HostileWay> ways;

        /**
         * @param bytes of an honest packet, and what a hostile one has to send so that it holds some
         * @param ofOne connections of one address
         * @param ofMany as many addresses as hold everything together
         */
        Shared(
                final HonestTransaction transaction,
                final int bytes,
                final int ofOne,
                final int ofMany,
                final Set<HostileWay> ways) {
            this.transaction = transaction;
            this.bytes = bytes;
            this.ofOne = ofOne;
            this.ofMany = ofMany;
            this.ways = ways;
        }

        String[] settings() {
            return new String[0];
        }

        /** @return memory that peers of other ports hold */
        SharedResource.Grant ofOthers(final SteppedListener listener) {
            return listener.budget().common().open(new TestHolder("others"));
        }

        void take(final TestPeer peer, final HostileWay way) throws Exception {
            way.push(peer, bytes);
        }

        void goOn(final TestPeer peer, final HostileWay way) throws IOException {
            way.goOn(peer);
        }

        Map<String, String> honestAttributes() {
            return Map.of();
        }

        abstract boolean isUsedUp(SteppedListener listener);

        void awaitUsedUp(
                final SteppedListener listener, final List<TestPeer> hostile, final SharedResource.Grant others) {
            SteppedListener.awaiting().until(() -> isUsedUp(listener));
        }

        /** @return whether what the hostile peers leave is too little for the honest one */
        boolean leavesTooLittle(final HostileWay way) {
            return true;
        }

        Duration patience(final HostileWay way) {
            return PATIENCE;
        }

        RecordingPort port(final SteppedListener listener) {
            return transaction == HonestTransaction.PUSH ? listener.input() : listener.output();
        }

        PortDispatcher dispatcher(final SteppedListener listener) {
            return listener.dispatcher(port(listener));
        }
    }

    /** Where newcomers are, of whom nobody knows yet who they are. */
    private enum Door {
        CONNECTIONS("connections.max") {
            @Override
            void take(final TestPeer peer) throws IOException {
                STALLED.push(peer.open(INPUT_PORT), SMALL);
            }

            /** Of which some have a permit of the port by now, so that time passes for them, and the others wait for one. */
            @Override
            boolean isUsedUp(final SteppedListener listener) {
                return listener.stepsNamed("ReceivePacketStep") == STREAMS / 2
                        && listener.stepsNamed("AwaitSessionStep") == MOST - STREAMS / 2;
            }
        },
        HANDSHAKES("handshakes.max") {
            @Override
            void take(final TestPeer peer) throws IOException {
                peer.say(Arrays.copyOf(Message.magic(), 1));
            }
        };

        private static final int MOST = 8;

        private final String setting;

        Door(final String setting) {
            this.setting = setting;
        }

        /** What a hostile peer does there. */
        abstract void take(TestPeer peer) throws IOException;

        boolean isUsedUp(final SteppedListener listener) {
            return listener.metrics().openConnections() >= MOST;
        }
    }

    private final AtomicLong clock = new AtomicLong(System.nanoTime());
    private final List<TestPeer> hostile = new ArrayList<>();

    private SteppedListener listener(final String... settings) throws Exception {
        final List<String> all = new ArrayList<>(List.of(
                "request.queue.size",
                "200",
                "streaming.transactions",
                String.valueOf(STREAMS),
                "transaction.memory",
                "64 KB",
                "buffer.memory",
                "1 MB"));
        all.addAll(List.of(settings));
        return new SteppedListener(clock::get, all.toArray(String[]::new));
    }

    /** Its text never ends. */
    private static void endlessConfirmation(final TestPeer peer) throws IOException {
        peer.say(ResponseCode.CONFIRM_TRANSACTION).out().writeShort(10_000);
    }

    private static byte[] packetOfPull() {
        return Message.packet(Map.of(), HonestTransaction.content(SMALL));
    }

    private static String checksumOfPull() {
        return Message.checksum(packetOfPull());
    }

    private static Stream<Arguments> ofOneAddress() {
        return Arrays.stream(Shared.values())
                .flatMap(shared -> shared.ways.stream().map(way -> Arguments.of(shared, way)));
    }

    /**
     * Not here: peers with one transaction each that drip. They lose it to nobody ({@link #slowFleet}, {@link #dripping}). Nor those
     * whose one transaction holds more memory than the smallest.
     */
    private static Stream<Arguments> ofManyAddresses() {
        final Set<HostileWay> dripping = EnumSet.of(DRIPPING, LARGE_ATTRIBUTES, ON_TWO_PORTS, AT_EACH_PORT);
        return Arrays.stream(Shared.values()).flatMap(shared -> shared.ways.stream()
                .filter(way -> !dripping.contains(way))
                .filter(way -> shared != Shared.MEMORY || way == SILENT || way == STALLED)
                .map(way -> Arguments.of(shared, way)));
    }

    @ParameterizedTest
    @MethodSource("ofOneAddress")
    @DisplayName("is served in time beside an address that keeps from others what it can")
    void besideOneAddress(final Shared shared, final HostileWay way) throws Exception {
        serve(shared, way, shared.ofOne, peer -> "127.0.0.1");
    }

    @ParameterizedTest
    @MethodSource("ofManyAddresses")
    @DisplayName("is served in time beside as many addresses as hold everything")
    void besideManyAddresses(final Shared shared, final HostileWay way) throws Exception {
        serve(shared, way, shared.ofMany, peer -> "127.0.2." + (peer + 1));
    }

    private void serve(
            final Shared shared, final HostileWay way, final int peers, final IntFunction<String> addressOfPeer)
            throws Exception {
        try (SteppedListener listener = listener(shared.settings());
                TestPeer honest = listener.connectFrom("127.0.0.9")
                        .withTimeout(Duration.ZERO)
                        .open(shared.transaction.port(), "BATCH_COUNT", "1");
                SlowPeer slow = new SlowPeer(listener, shared)) {
            IntStream.range(0, peers)
                    .mapToObj(peer -> way.port(shared.transaction.port(), OTHER_PORT, peer))
                    .filter(port -> port.startsWith(OTHER_PORT))
                    .distinct()
                    .forEach(port -> listener.addPort(shared.transaction.portType(), port));
            for (int i = 0; i <= peers; i++) {
                listener.output().queue(Map.of(), HonestTransaction.content(SMALL));
            }
            if (way == CLAIMING_ZEROS) {
                // What was claimed takes a while to write.
                listener.input().beforeWrite(() -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5)));
            }
            final SharedResource.Grant others = shared.ofOthers(listener);
            try {
                for (int i = 0; i < peers; i++) {
                    final TestPeer peer = listener.connectFrom(addressOfPeer.apply(i));
                    hostile.add(peer);
                    shared.take(open(peer, shared, way, i), way);
                    peer.flush();
                }
                shared.awaitUsedUp(listener, hostile, others);
                listener.passTime(clock, STEP);
                awaitServed(listener, shared, way, honest, slow);
            } finally {
                others.close();
            }
            slow.finish();
            for (final TestPeer peer : hostile) {
                peer.close();
            }
        }
    }

    private static TestPeer open(final TestPeer peer, final Shared shared, final HostileWay way, final int number)
            throws IOException {
        return peer.open(
                way.port(shared.transaction.port(), OTHER_PORT, number),
                "BATCH_COUNT",
                "1",
                "GZIP",
                String.valueOf(way.compresses()),
                "REQUEST_EXPIRATION_MILLIS",
                "0");
    }

    private void awaitServed(
            final SteppedListener listener,
            final Shared shared,
            final HostileWay way,
            final TestPeer honest,
            final SlowPeer slow)
            throws Exception {
        final CompletableFuture<Void> served = HonestTransaction.allDo(List.of(honest), peer -> {
            shared.transaction.begin(peer, shared.honestAttributes(), HonestTransaction.content(shared.bytes));
            shared.transaction.end(peer);
        });
        Duration passed = Duration.ZERO;
        while (!isDone(served, listener) && passed.compareTo(shared.patience(way)) < 0) {
            if (passed.toMillis() % 1_000 == 0) {
                slow.goOn();
                goOn(peer -> shared.goOn(peer, way));
            }
            listener.passTime(clock, STEP);
            passed = passed.plus(STEP);
            assertTrue(listener.budget().used() <= listener.budget().bound(STREAMS), "used more than the bound");
        }
        awaitDone(served, listener);
        if (shared.leavesTooLittle(way)) {
            assertTrue(passed.compareTo(Duration.ofSeconds(2)) > 0, "it was not used up: served after " + passed);
        }
    }

    /** A busy machine takes its time to serve a peer; the clock stands meanwhile. */
    private static boolean isDone(final CompletableFuture<Void> served, final SteppedListener listener) {
        SteppedListener.awaiting().until(() -> served.isDone() || WAITS.contains(listener.step(0)));
        return served.isDone();
    }

    /** Its time is over, and the clock stands; a busy machine may need more of its own. */
    private static void awaitDone(final CompletableFuture<Void> served, final SteppedListener listener)
            throws Exception {
        sweepUntil(listener, served::isDone);
        served.get();
    }

    /** Waits while the clock stands, and the listener looks after its ports as it does a few times a second. */
    private static void sweepUntil(final SteppedListener listener, final Callable<Boolean> condition) {
        SteppedListener.awaiting().until(() -> {
            listener.dispatchers().sweep();
            return condition.call();
        });
    }

    /** The listener may have cut some by now. */
    private void goOn(final HonestTransaction.Part part) throws Exception {
        for (final TestPeer peer : hostile) {
            try {
                part.of(peer);
            } catch (final IOException e) {
                continue;
            }
        }
    }

    /** A peer that drips, and that has no more than one transaction: it is never cut. Lives on the test's thread. */
    private static final class SlowPeer implements AutoCloseable {
        private static final int CONNECTION = 1;
        private static final int REST = 100;

        private final SteppedListener listener;
        private final TestPeer peer;
        private final byte[] packet;
        private int sent;

        SlowPeer(final SteppedListener listener, final Shared shared) throws IOException {
            this.listener = listener;
            peer = listener.connectFrom("127.0.0.8").open(INPUT_PORT);
            if (!Set.of(Shared.PLACES, Shared.MEMORY, Shared.PERMITS_TO_STREAM, Shared.PERMITS_OF_ALL_PORTS)
                    .contains(shared)) {
                packet = new byte[0];
                return;
            }
            packet = Message.packet(HonestTransaction.content(shared.bytes + REST));
            peer.push();
            send(packet.length - REST);
            listener.awaitStep("ReceivePacketStep");
        }

        private void send(final int bytes) throws IOException {
            peer.say(Arrays.copyOfRange(packet, sent, sent + bytes)).flush();
            sent += bytes;
            listener.awaitAllRead(CONNECTION, peer);
        }

        void goOn() throws IOException {
            if (sent < packet.length) {
                send(1);
            }
        }

        void finish() throws Exception {
            if (packet.length > 0) {
                send(packet.length - sent);
                peer.say(ResponseCode.FINISH_TRANSACTION)
                        .expect(ResponseCode.CONFIRM_TRANSACTION, Message.checksum(packet))
                        .confirm()
                        .expect(ResponseCode.TRANSACTION_FINISHED);
            }
        }

        @Override
        public void close() throws IOException {
            peer.close();
        }
    }

    @Test
    @DisplayName("is served in time beside an address that has the listener write: nobody gains time by that")
    void besideOurWork() throws Exception {
        final Semaphore disk = new Semaphore(1);
        try (SteppedListener listener = listener("buffer.memory", "4 MB");
                TestPeer honest = listener.connectFrom("127.0.0.9").open(INPUT_PORT)) {
            stallBefore(listener, disk);
            final CompletableFuture<Void> served = HonestTransaction.allDo(List.of(honest), peer -> {
                HonestTransaction.PUSH.begin(peer, Map.of(), HonestTransaction.content(LARGE));
                HonestTransaction.PUSH.end(peer);
            });
            listener.awaitSteps("AwaitSessionStep", 1);
            listener.passTime(clock, STEP);
            for (int second = 1; second < PATIENCE.toSeconds() && waitsForSession(listener); second++) {
                disk.acquireUninterruptibly();
                goOn(peer -> peer.say(new byte[UNWRITTEN]).flush());
                awaitWriting(listener, hostile.size());
                listener.passTime(clock, STEP);
                disk.release();
                awaitWriting(listener, 0);
                listener.passTime(clock, Duration.ofSeconds(1).minus(STEP));
            }
            awaitDone(served, listener);
            for (final TestPeer peer : hostile) {
                peer.close();
            }
        }
    }

    @Test
    @DisplayName("is served soon, where the listener writes just as a transaction is to end")
    void ourTurnJustThen() throws Exception {
        final Semaphore disk = new Semaphore(1);
        try (SteppedListener listener = listener("buffer.memory", "4 MB");
                TestPeer honest = listener.connectFrom("127.0.0.9").open(INPUT_PORT)) {
            stallBefore(listener, disk);
            listener.passTime(clock, Duration.ofSeconds(1));
            honest.push().packet(Map.of(), HonestTransaction.content(LARGE)).flush();
            listener.awaitSteps("AwaitSessionStep", 1);
            listener.passTime(clock, Duration.ofSeconds(3).minus(STEP));
            disk.acquireUninterruptibly();
            goOn(peer -> peer.say(new byte[UNWRITTEN]).flush());
            listener.awaitSteps("AwaitWriterStep", hostile.size());
            clock.addAndGet(STEP.toNanos());
            // At the last look it was the peers' turn.
            listener.dispatchers().sweep();
            listener.checkDeadlines();
            listener.assertNoFault();
            disk.release();
            listener.awaitSteps("AwaitWriterStep", 0);
            listener.passTime(clock, STEP.multipliedBy(2));
            listener.awaitSteps("AwaitSessionStep", 0);
            for (final TestPeer peer : hostile) {
                peer.close();
            }
        }
    }

    /** Four pushes of one address stand still, and what they say next is written while the disk is free. */
    private void stallBefore(final SteppedListener listener, final Semaphore disk) throws IOException {
        listener.input().beforeWrite(() -> {
            disk.acquireUninterruptibly();
            disk.release();
        });
        for (int i = 0; i < 4; i++) {
            hostile.add(listener.connectFrom("127.0.0.1").open(INPUT_PORT));
            STALLED.push(hostile.get(i), LARGE);
            listener.awaitAllRead(i + 1, hostile.get(i).flush());
        }
    }

    private static boolean waitsForSession(final SteppedListener listener) {
        return "AwaitSessionStep".equals(listener.step(0));
    }

    /** Unless the honest peer has got what it waits for. */
    private static void awaitWriting(final SteppedListener listener, final int peers) {
        SteppedListener.awaiting()
                .until(() -> !waitsForSession(listener) || listener.stepsNamed("AwaitWriterStep") == peers);
    }

    private static Stream<Arguments> newcomers() {
        return Arrays.stream(Door.values())
                .flatMap(door -> Stream.of(
                        Arguments.of(door, false, "127.0.0.1"),
                        Arguments.of(door, true, "127.0.0.1"),
                        Arguments.of(door, false, "127.0.2.")));
    }

    @ParameterizedTest
    @MethodSource("newcomers")
    @DisplayName("gets in within six seconds, where one address drips or stands still, or many stand still")
    void newcomer(final Door door, final boolean drips, final String addresses) throws Exception {
        try (SteppedListener listener = listener(door.setting, String.valueOf(Door.MOST))) {
            for (int i = 0; i < Door.MOST; i++) {
                final TestPeer peer = listener.connectFrom(addresses.endsWith(".") ? addresses + (i + 1) : addresses);
                hostile.add(peer);
                door.take(peer);
                peer.flush();
            }
            sweepUntil(listener, () -> door.isUsedUp(listener));
            listener.passTime(clock, STEP);
            CompletableFuture<Void> served = comeIn(listener);
            Duration passed = Duration.ZERO;
            while (!isIn(served, listener) && passed.compareTo(PATIENCE) < 0) {
                if (drips && passed.toMillis() % 1_000 == 0) {
                    final byte next = passed.toSeconds() < 4 ? Message.magic()[(int) passed.toSeconds()] : 0;
                    goOn(peer -> peer.say(new byte[] {next}).flush());
                }
                listener.passTime(clock, STEP);
                passed = passed.plus(STEP);
                if (served.isCompletedExceptionally()) {
                    served = comeIn(listener);
                }
            }
            awaitDone(served, listener);
            assertTrue(passed.compareTo(Duration.ofSeconds(2)) > 0, "it was not used up: served after " + passed);
            for (final TestPeer peer : hostile) {
                peer.close();
            }
        }
    }

    private static CompletableFuture<Void> comeIn(final SteppedListener listener) throws IOException {
        final TestPeer newcomer = listener.connectFrom("127.0.0.9");
        return HonestTransaction.allDo(List.of(newcomer), peer -> {
            try (peer) {
                peer.open(INPUT_PORT);
                HonestTransaction.PUSH.begin(peer, Map.of(), HonestTransaction.content(SMALL));
                HonestTransaction.PUSH.end(peer);
            }
        });
    }

    /** Waits until it is in, or refused, or is not accepted. */
    private static boolean isIn(final CompletableFuture<Void> served, final SteppedListener listener) {
        SteppedListener.awaiting()
                .until(() -> served.isDone() || listener.handshakes().count() >= Door.MOST);
        return served.isDone() && !served.isCompletedExceptionally();
    }

    @Test
    @DisplayName(
            "is not served beside as many dripping addresses as the port has permits, but small ones and other ports go on")
    void dripping() throws Exception {
        try (SteppedListener listener = listener()) {
            final RecordingPort other = listener.addPort(HonestTransaction.PUSH.portType(), OTHER_PORT);
            for (int i = 0; i < 4; i++) {
                hostile.add(listener.connectFrom("127.0.2." + (i + 1)).open(INPUT_PORT));
                DRIPPING.push(hostile.get(i), LARGE);
                hostile.get(i).flush();
                listener.awaitAllRead(i, hostile.get(i));
            }
            try (TestPeer large = listener.connectFrom("127.0.0.9").open(INPUT_PORT);
                    TestPeer small = listener.connectFrom("127.0.0.8").open(INPUT_PORT);
                    TestPeer elsewhere = listener.connectFrom("127.0.0.7").open(OTHER_PORT)) {
                large.push().packet(Map.of(), HonestTransaction.content(LARGE)).flush();
                listener.awaitSteps("AwaitSessionStep", 1);
                for (Duration passed = Duration.ZERO;
                        passed.compareTo(HALF_A_MINUTE) < 0;
                        passed = passed.plus(Duration.ofSeconds(1))) {
                    for (int i = 0; i < hostile.size(); i++) {
                        DRIPPING.goOn(hostile.get(i));
                        listener.awaitAllRead(i, hostile.get(i));
                    }
                    listener.passTime(clock, Duration.ofSeconds(1));
                }
                assertEquals(1, listener.stepsNamed("AwaitSessionStep"));
                HonestTransaction.PUSH.begin(small, Map.of(), HonestTransaction.content(SMALL));
                HonestTransaction.PUSH.end(small);
                HonestTransaction.PUSH.begin(elsewhere, Map.of(), HonestTransaction.content(LARGE));
                HonestTransaction.PUSH.end(elsewhere);
                assertEquals(1, other.commits());
                listener.assertNoFault();
            }
            for (final TestPeer peer : hostile) {
                peer.close();
            }
        }
    }

    @Test
    @DisplayName("with a small push is never cut for being slow, however many others wait for memory")
    void slowFleet() throws Exception {
        final List<TestPeer> fleet = new ArrayList<>();
        try (SteppedListener listener = listener()) {
            for (int i = 0; i < FLEET; i++) {
                final TestPeer peer = listener.connectFrom("127.1.0." + (i + 1)).open(INPUT_PORT);
                fleet.add(peer);
                listener.awaitAllRead(i, peer.push().flush());
            }
            final int admitted = (int) listener.stepsNamed("ReceivePacketStep");
            assertEquals(FLEET - admitted, listener.stepsNamed("AdmitTransactionStep"));
            assertTrue(admitted < FLEET, "all have memory");
            for (final TestPeer peer : fleet.subList(0, admitted)) {
                peer.say(Message.packetHeader(FLEET_BYTES));
            }
            for (Duration passed = Duration.ZERO; passed.compareTo(PATIENCE) < 0; passed = passed.plus(STEP)) {
                for (final TestPeer peer : fleet.subList(0, admitted)) {
                    DRIPPING.goOn(peer);
                }
                for (int i = 0; i < admitted; i++) {
                    listener.awaitAllRead(i, fleet.get(i));
                }
                listener.passTime(clock, STEP);
            }
            listener.assertNoFault();
            for (final TestPeer peer : fleet) {
                peer.close();
            }
        }
    }
}
