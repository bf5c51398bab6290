// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.each;
import static org.nios2s.client.Outcomes.packet;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;
import org.nios2s.client.internal.transaction.Engine;

/** A cluster of two scripted nodes behind one REST API. */
class ClusterPeerSelectorTest {
    private static final int MANY = 100;
    private static final int MOST_QUEUED = 1_000_000_000;

    private ScriptedServer first;
    private ScriptedServer second;
    private ScriptedSite site;
    private Engine engine;

    @BeforeEach
    void start() throws IOException {
        first = new ScriptedServer();
        second = new ScriptedServer();
        ScriptedServer.cluster(first, 5, second, 5);
        site = new ScriptedSite(first.port());
        engine = new Engine();
    }

    @AfterEach
    void stop() throws IOException {
        engine.close();
        site.close();
        first.close();
        second.close();
    }

    private SiteToSite cluster() {
        return NioSiteToSite.builder()
                .url(site.url())
                .retry(RetryPolicy.never())
                .build();
    }

    @Test
    void bothNodesAreUsedAndWhenOneLeavesWorkGoesOn() throws Exception {
        try (SiteToSite cluster = cluster()) {
            for (int i = 0; i < MANY; i++) {
                Outcomes.await(cluster.inputPort("in").send(List.of(packet("a" + i))));
            }
            assertTrue(first.committed.size() > 0 && second.committed.size() > 0);
            assertEquals(MANY, first.committed.size() + second.committed.size());
            second.close();
            final int before = first.committed.size();
            int failures = 0;
            for (int i = 0; i < 20; i++) {
                try {
                    Outcomes.await(cluster.inputPort("in").send(List.of(packet("b" + i))));
                } catch (final ExecutionException e) {
                    failures++;
                }
            }
            assertTrue(failures <= 2, failures + " failures before the node was passed over");
            assertEquals(20 - failures, first.committed.size() - before);
        }
    }

    @Test
    void aPullComesFromTheCluster() throws Exception {
        first.offered.add(new Received(Map.of(), new byte[3]));
        second.offered.add(new Received(Map.of(), new byte[3]));
        try (SiteToSite cluster = cluster()) {
            assertEquals(
                    1,
                    Outcomes.await(cluster.outputPort("out").pull(each(packet -> {})))
                            .packets());
        }
    }

    @Test
    void whenNoPeerIsLeftTheFailureOfOneIsTold() throws Exception {
        try (SiteToSite cluster = cluster()) {
            Outcomes.await(cluster.inputPort("in").send(List.of(packet("a"))));
            first.close();
            second.close();
            await().until(() -> Outcomes.failureOf(cluster.inputPort("in").send(List.of(packet("b"))))
                            .reason()
                    == FailureReason.CONNECT_FAILED);
        }
    }

    /** Lets nearly every choice fall on the second node first. */
    private void prefer(final boolean fewest) {
        if (fewest) {
            ScriptedServer.cluster(first, MOST_QUEUED, second, 0);
        } else {
            ScriptedServer.cluster(first, 0, second, MOST_QUEUED);
        }
    }

    /** A call that pauses before another attempt fails here. */
    private SiteToSite failingOver() {
        return NioSiteToSite.builder()
                .url(site.url())
                .retry(RetryPolicy.standard().withBackoff(Duration.ofDays(1), Duration.ofDays(1)))
                .build();
    }

    @ParameterizedTest
    @EnumSource(
            value = Moment.class,
            mode = Mode.EXCLUDE,
            names = {"FINISHED"})
    void aPushThatFailsBeforeItsEndGoesToTheNextNodeAtOnce(final Moment moment) throws Exception {
        prefer(true);
        second.at(moment, ScriptedServer.hangUp());
        try (SiteToSite cluster = failingOver()) {
            final TransactionResult result =
                    Outcomes.await(cluster.inputPort("in").send(List.of(packet("a"))));
            assertEquals("127.0.0.1:" + first.port(), result.peer());
        }
        assertTrue(second.accepted.get() > 0, "the other node was not tried");
        assertEquals(1, first.committed.size());
        assertEquals(0, second.committed.size());
    }

    /** Packets may arrive twice. */
    private SiteToSite persistent() {
        return NioSiteToSite.builder()
                .url(site.url())
                .retry(RetryPolicy.standard()
                        .acceptingDuplicates()
                        .withBackoff(Duration.ofMillis(1), Duration.ofMillis(2)))
                .build();
    }

    @Test
    void aPushWhoseOutcomeIsUnknownGoesToTheSameNodeAgainWithTheSameIdentifier() throws Exception {
        prefer(true);
        final AtomicInteger times = new AtomicInteger();
        second.at(Moment.FINISHED, wire -> {
            if (times.getAndIncrement() == 0) {
                throw new EOFException();
            }
            return false;
        });
        try (SiteToSite cluster = persistent()) {
            Outcomes.await(cluster.inputPort("in").send(List.of(packet("a"))));
        }
        assertEquals(0, first.committed.size());
        final List<String> identifiers = second.committed.stream()
                .map(packet -> packet.attributes().get("uuid"))
                .toList();
        assertEquals(List.of(identifiers.getFirst(), identifiers.getFirst()), identifiers);
    }

    @Test
    void aPushWhoseOutcomeIsUnknownStaysWithItsNodeWhenThatOneIsFull() throws Exception {
        prefer(true);
        second.at(Moment.FINISHED, wire -> {
            second.asUsual(Moment.FINISHED);
            second.at(Moment.HANDSHAKE, ScriptedServer.portOnly(full -> {
                second.asUsual(Moment.HANDSHAKE);
                full.say(ResponseCode.PORTS_DESTINATION_FULL);
                return true;
            }));
            throw new EOFException();
        });
        try (SiteToSite cluster = persistent()) {
            final TransactionResult result =
                    Outcomes.await(cluster.inputPort("in").send(List.of(packet("a"))));
            assertEquals("localhost:" + second.port(), result.peer());
        }
        assertEquals(2, second.committed.size());
        assertEquals(0, first.committed.size());
    }

    @Test
    void aPushWhoseOutcomeIsUnknownGoesElsewhereWhenItsNodeIsGone() throws Exception {
        prefer(true);
        second.at(Moment.FINISHED, wire -> {
            second.close();
            throw new EOFException();
        });
        try (SiteToSite cluster = persistent()) {
            final TransactionResult result =
                    Outcomes.await(cluster.inputPort("in").send(List.of(packet("a"))));
            assertEquals("127.0.0.1:" + first.port(), result.peer());
        }
        assertEquals(1, second.committed.size());
        assertEquals(1, first.committed.size());
    }

    @Test
    void aPushThatFailsAtItsEndGoesToNobodyElse() throws Exception {
        prefer(true);
        second.at(Moment.FINISHED, ScriptedServer.hangUp());
        try (SiteToSite cluster = failingOver()) {
            final TransactionException failure = Outcomes.assertFails(
                    cluster.inputPort("in").send(List.of(packet("a"))),
                    TransactionStep.COMPLETE,
                    FailureReason.CONNECTION_LOST);
            assertTrue(failure.isOutcomeUnknown());
        }
        assertEquals(0, first.committed.size());
    }

    @ParameterizedTest
    @EnumSource(
            value = Moment.class,
            mode = Mode.EXCLUDE,
            names = {"FINISHED", "CONFIRM"})
    void aPullThatFailsBeforeItsPacketsGoesToTheNextNodeAtOnce(final Moment moment) throws Exception {
        prefer(false);
        first.offered.add(new Received(Map.of(), new byte[3]));
        second.at(moment, ScriptedServer.hangUp());
        try (SiteToSite cluster = failingOver()) {
            assertEquals(
                    1,
                    Outcomes.await(cluster.outputPort("out").pull(each(packet -> {})))
                            .packets());
        }
        assertTrue(second.accepted.get() > 0, "the other node was not tried");
    }

    private SiteToSite.Builder byDefault() {
        return NioSiteToSite.builder().url(site.url());
    }

    /** Sends to both nodes until each has a connection. */
    private void warm(final SiteToSite cluster) throws Exception {
        for (int i = 0; first.committed.isEmpty() || second.committed.isEmpty(); i++) {
            Outcomes.await(cluster.inputPort("in").send(packet("warm" + i)));
        }
    }

    @Test
    void whatWaitsForANodeThatDiesGoesToTheOtherAtOnce() throws Exception {
        final CountDownLatch hold = new CountDownLatch(1);
        try (SiteToSite cluster = byDefault().maxConnections(2).build()) {
            warm(cluster);
            for (final ScriptedServer node : List.of(first, second)) {
                node.at(Moment.CONFIRM, wire -> {
                    hold.await();
                    return false;
                });
            }
            final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                sent.add(cluster.inputPort("in").send(packet("a" + i)));
            }
            second.close();
            hold.countDown();
            // What waits for the dead node's pause or for the idle time-out takes longer.
            CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void whatWaitsForANodeThatHangsGoesToTheOtherBeforeItsConnectTimeout() throws Exception {
        prefer(true);
        second.at(Moment.ACCEPTED, second.stall());
        try (SiteToSite cluster = byDefault()
                .connectTimeout(Outcomes.NEVER)
                .shutdownTimeout(Duration.ZERO)
                .build()) {
            final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                sent.add(cluster.inputPort("in").send(packet("a" + i)));
            }
            CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
        }
        assertEquals(MANY, first.committed.size());
    }

    @ParameterizedTest
    @EnumSource(
            value = ResponseCode.class,
            names = {"UNAUTHORIZED", "UNKNOWN_PORT", "ILLEGAL_PROPERTY_VALUE", "PORT_NOT_IN_VALID_STATE"})
    void whatOneNodeRefusesAnotherTakes(final ResponseCode refusal) throws Exception {
        prefer(true);
        second.at(Moment.HANDSHAKE, ScriptedServer.portOnly(ScriptedServer.answer(refusal, "not here")));
        try (SiteToSite cluster = byDefault().build()) {
            for (int i = 0; i < 5; i++) {
                Outcomes.await(cluster.inputPort("in").send(packet("a" + i)));
            }
        }
        assertEquals(5, first.committed.size());
    }

    @Test
    void whatAllNodesRefuseFailsWithEachRefusal() {
        for (final ScriptedServer node : List.of(first, second)) {
            node.at(
                    Moment.HANDSHAKE,
                    ScriptedServer.portOnly(ScriptedServer.answer(ResponseCode.UNAUTHORIZED, "not you")));
        }
        try (SiteToSite cluster = byDefault().build()) {
            final TransactionException failure = Outcomes.assertFails(
                    cluster.inputPort("in").send(packet("a")), TransactionStep.HANDSHAKE, FailureReason.UNAUTHORIZED);
            assertEquals(2, failure.attempts());
            assertEquals(1, failure.getSuppressed().length);
            assertNotEquals(failure.peer(), ((TransactionException) failure.getSuppressed()[0]).peer());
        }
    }

    @Test
    void whenAllNodesAreFullTheirRoomIsWaitedFor() throws Exception {
        final AtomicInteger refusals = new AtomicInteger();
        for (final ScriptedServer node : List.of(first, second)) {
            node.at(Moment.HANDSHAKE, ScriptedServer.portOnly(wire -> {
                if (refusals.incrementAndGet() > 4) {
                    return false;
                }
                wire.say(ResponseCode.PORTS_DESTINATION_FULL);
                return true;
            }));
        }
        try (SiteToSite cluster = byDefault().build()) {
            Outcomes.await(cluster.inputPort("in").send(packet("a")));
        }
    }
}
