// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.QueueClient;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pushes to a port whose destination is full, or becomes so: it takes no more than it may, each peer hears its own truth, and
 * what a peer has stopped waiting for is not committed.
 * Runs on the thread of the tests, with a thread for each peer of a burst. The log says what became of each burst.
 */
@ResourceLock(SharedNifi.Lock.NIO)
@ResourceLock(SharedNifi.Lock.STOCK)
class FullDestinationIT {

    private static final Logger logger = LoggerFactory.getLogger(FullDestinationIT.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int THRESHOLD = 10;
    private static final int BURST = 150;
    private static final int USUAL_TASKS = 4;

    /** For so long nothing has changed when all is taken to have happened. */
    private static final Duration SETTLED = Duration.ofSeconds(2);

    private static final int LOST_LINES = 20;
    private static final Duration EXPIRATION = Duration.ofSeconds(4);
    private static final byte[] CONTENT = {1};

    private OwnPorts ports;

    @AfterEach
    void removePorts() {
        ports.remove();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, USUAL_TASKS})
    void aBurstOvershootsTheThresholdByNoMoreThanATransactionForEachTask(final int tasks) throws Exception {
        final NifiNode nifi = SharedNifi.NIO.get();
        final Burst burst = burst(nifi, tasks);

        final long finished = burst.heard(ResponseCode.TRANSACTION_FINISHED);
        final long full = burst.heard(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL);
        assertEquals(burst.asked(), finished + full, "each that has confirmed has its answer");
        assertEquals(finished + full, queued(nifi), "what the peers know to be committed is in the queue");
        assertTrue(queued(nifi) <= THRESHOLD + tasks, () -> queued(nifi) + " FlowFiles are in the queue");
        assertTrue(full >= 1 && full <= tasks, () -> full + " peers were told that they had filled the destination");
        sendAgain(nifi, BURST - burst.asked());
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(ints = {1, USUAL_TASKS})
    void aBurstAtTheStockListenerForComparison(final int tasks) throws Exception {
        burst(SharedNifi.STOCK.get(), tasks);
    }

    @Test
    void nothingIsCommittedOfAPeerThatHasStoppedWaitingAndIsGoneWithoutAWord() throws Exception {
        assertEquals(0, committedAfterTheirTime(SharedNifi.NIO.get(), LOST_LINES));
    }

    @Test
    @Tag("full")
    void aLostLineAtTheStockListenerForComparison() throws Exception {
        committedAfterTheirTime(SharedNifi.STOCK.get(), 1);
    }

    /** Lets many push at the same moment; returns when nothing more happens. */
    private Burst burst(final NifiNode nifi, final int tasks) throws Exception {
        ports = new OwnPorts(nifi, "burst", THRESHOLD, List.of()).withoutWayOut();
        nifi.flow().setConcurrentTasks(inputPort(), tasks);
        try (Burst burst = Burst.start(nifi, ports.id(OwnPorts.IN))) {
            settle(burst::asked);
            final int atOnce = burst.asked();
            burst.confirm();
            settle(() -> burst.asked() + burst.ended());
            logger.info(
                    "{}, {} tasks, threshold {}: {} peers, {} were told to confirm at first and {} in all;"
                            + " {} committed; 13: {}, 14: {}, no answer behind a confirmation: {}",
                    nifi.info().listener(),
                    tasks,
                    THRESHOLD,
                    BURST,
                    atOnce,
                    burst.asked(),
                    queued(nifi),
                    burst.heard(ResponseCode.TRANSACTION_FINISHED),
                    burst.heard(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL),
                    burst.asked() - burst.ended());
            return burst;
        }
    }

    private static void settle(final IntSupplier happened) {
        final AtomicInteger last = new AtomicInteger();
        Awaitility.await().atMost(PATIENCE).during(SETTLED).until(() -> {
            final int now = happened.getAsInt();
            return now > 0 && last.getAndSet(now) == now;
        });
    }

    /** Those that were not told to confirm know that nothing of theirs is committed, and send again. */
    private void sendAgain(final NifiNode nifi, final int peers) throws IOException {
        final long before = queued(nifi);
        nifi.flow().setBackPressure(ports.queue(), BackPressure.generous());
        for (int peer = 0; peer < peers; peer++) {
            try (TestPeer again = Peers.atPort(nifi, ports.id(OwnPorts.IN))) {
                assertEquals(ResponseCode.TRANSACTION_FINISHED, again.push(Map.of(), CONTENT));
            }
        }
        assertEquals(before + peers, queued(nifi), "all that was sent is in the queue, and once");
    }

    /**
     * Peers are told to confirm while there is room. Then the destination becomes full, they confirm, and nothing more is heard
     * of them. There is room again when their request expiration is over.
     *
     * @param confirming how many are told to confirm: with the stock listener one for each concurrent task
     * @return how many of their FlowFiles were committed then
     */
    private long committedAfterTheirTime(final NifiNode nifi, final int confirming) throws Exception {
        ports = new OwnPorts(nifi, "lost-line", LOST_LINES * 2, List.of()).withoutWayOut();
        try (TestPeer first = Peers.atPort(nifi, ports.id(OwnPorts.IN))) {
            assertEquals(ResponseCode.TRANSACTION_FINISHED, first.push(Map.of(), CONTENT));
        }
        try (Burst burst = Burst.start(nifi, ports.id(OwnPorts.IN), LOST_LINES, EXPIRATION)) {
            Awaitility.await().atMost(PATIENCE).until(() -> burst.asked() == confirming);
            nifi.flow().setBackPressure(ports.queue(), new BackPressure(1, 0));
            burst.confirmAndFallSilent();
            final long confirmedNanos = System.nanoTime();
            Awaitility.await().atMost(PATIENCE).until(() -> System.nanoTime() - confirmedNanos > EXPIRATION.toNanos());
            final long inTheirTime = queued(nifi) - 1;
            nifi.flow().setBackPressure(ports.queue(), BackPressure.generous());
            try (TestPeer next = Peers.atPort(nifi, ports.id(OwnPorts.IN))) {
                assertEquals(ResponseCode.TRANSACTION_FINISHED, next.push(Map.of(), CONTENT));
            }
            settle(() -> (int) queued(nifi));
            final long after = queued(nifi) - 2 - inTheirTime;
            logger.info(
                    "{}: of {} lost lines {} had confirmed; {} were committed before their expiration was over, {} behind it",
                    nifi.info().listener(),
                    LOST_LINES,
                    burst.asked(),
                    inTheirTime,
                    after);
            return after;
        }
    }

    private Component inputPort() {
        return new Component(ComponentKind.INPUT_PORT, ports.id(OwnPorts.IN));
    }

    private long queued(final NifiNode nifi) {
        return new QueueClient(nifi.rest()).size(ports.queue()).flowFiles();
    }

    /** Peers that each push a FlowFile, and confirm when they are let. Their threads end with {@link #close}. */
    private static final class Burst implements AutoCloseable {

        private final List<TestPeer> peers = new ArrayList<>();
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        private final CountDownLatch mayConfirm = new CountDownLatch(1);
        private final AtomicInteger asked = new AtomicInteger();
        private final CountDownLatch silent;
        private final Queue<ResponseCode> heard = new ConcurrentLinkedQueue<>();
        private volatile boolean fallSilent;

        private Burst(final int size) {
            silent = new CountDownLatch(size);
        }

        static Burst start(final NifiNode nifi, final String port) throws IOException {
            return start(nifi, port, BURST, PATIENCE);
        }

        /** All have sent their FlowFile, or soon will have, when this returns. */
        static Burst start(final NifiNode nifi, final String port, final int size, final Duration expiration)
                throws IOException {
            final Burst burst = new Burst(size);
            final Map<String, String> properties = Message.properties(port);
            properties.put("REQUEST_EXPIRATION_MILLIS", Long.toString(expiration.toMillis()));
            try {
                for (int number = 0; number < size; number++) {
                    final TestPeer peer = Peers.connect(nifi);
                    burst.peers.add(peer);
                    peer.answerToHandshake(Message.COMMUNICATIONS_ID, properties);
                    peer.negotiateCodec();
                }
            } catch (final IOException e) {
                burst.close();
                throw e;
            }
            burst.peers.forEach(peer -> burst.threads.submit(() -> burst.push(peer)));
            return burst;
        }

        private Void push(final TestPeer peer) throws IOException, InterruptedException {
            try {
                peer.push();
                peer.packet(Map.of(), CONTENT);
                peer.say(ResponseCode.FINISH_TRANSACTION);
                final ResponseCode answer = peer.response().getCode();
                if (answer != ResponseCode.CONFIRM_TRANSACTION) {
                    throw new IOException("The FlowFile was answered by " + answer);
                }
                if (fallSilent) {
                    // Its line is lost by now.
                    return null;
                }
                asked.incrementAndGet();
                mayConfirm.await();
                peer.say(ResponseCode.CONFIRM_TRANSACTION, "");
                silent.countDown();
                if (!fallSilent) {
                    heard.add(peer.response().getCode());
                }
            } catch (final SocketException e) {
                logger.debug("A peer of the burst was closed", e);
            }
            return null;
        }

        /** How many were told to confirm. */
        int asked() {
            return asked.get();
        }

        /** How many have heard how their transaction ended. */
        int ended() {
            return heard.size();
        }

        long heard(final ResponseCode code) {
            return heard.stream().filter(code::equals).count();
        }

        void confirm() {
            mayConfirm.countDown();
        }

        /** All confirm that have been told to, and neither read nor close: as if their lines were lost. */
        void confirmAndFallSilent() {
            fallSilent = true;
            mayConfirm.countDown();
            Awaitility.await().atMost(PATIENCE).until(() -> LOST_LINES - silent.getCount() >= asked.get());
        }

        @Override
        public void close() throws IOException {
            mayConfirm.countDown();
            for (final TestPeer peer : peers) {
                peer.close();
            }
            threads.close();
        }
    }
}
