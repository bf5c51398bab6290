// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.apache.nifi.remote.cluster.NodeInformation;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.peers.LogLines;

/** How often NiFi is asked for its nodes, and what peers get meanwhile. Lives on the test's thread, by a clock of its own. */
class ClusterNodesTest {

    private final Queue<Runnable> questions = new ArrayDeque<>();

    @AutoClose
    private final LogLines log = new LogLines(ClusterNodes.class, Level.INFO);

    private long now = Duration.ofDays(1).toNanos();
    private int asked;
    private IOException failure;
    private boolean knowsNobody;
    private final ClusterNodes nodes = new ClusterNodes(this::ask, questions::add, () -> now);

    private Collection<NodeInformation> ask() throws IOException {
        asked++;
        if (failure != null) {
            throw failure;
        }
        if (knowsNobody) {
            return List.of();
        }
        return List.of(new NodeInformation("node", 1, null, 2, false, asked));
    }

    private void pass(final Duration time) {
        now += time.toNanos();
    }

    private void answer() {
        questions.remove().run();
    }

    /** @return the number of the answer that peers get now */
    private int current() {
        final CompletableFuture<Collection<NodeInformation>> current = nodes.current();
        assertTrue(current.isDone());
        return current.join().iterator().next().getTotalFlowFiles();
    }

    @Test
    @DisplayName("a flood of peers asks NiFi once a second")
    void flood() {
        nodes.current();
        answer();
        final int seconds = 10;
        for (int i = 0; i < seconds * 5_000; i++) {
            pass(Duration.ofNanos(200_000));
            nodes.current();
            if (!questions.isEmpty()) {
                answer();
            }
            current();
        }
        assertEquals(1 + seconds, asked);
        assertEquals(List.of(), log.lines(Level.WARN));
    }

    @Test
    @DisplayName(
            "peers get the last list for five minutes from a coordinator that was just elected and knows of no node")
    void newCoordinator() {
        nodes.current();
        answer();
        knowsNobody = true;
        pass(Duration.ofSeconds(2));
        nodes.current();
        answer();
        assertEquals(1, current());
        pass(Duration.ofMinutes(5));
        nodes.current();
        answer();
        assertEquals(List.of(), List.copyOf(nodes.current().join()));
        knowsNobody = false;
        pass(Duration.ofSeconds(2));
        nodes.current();
        answer();
        assertEquals(asked, current());
    }

    @Test
    @DisplayName("a cluster without nodes is told as NiFi tells it where there is no earlier list")
    void emptyFromTheStart() {
        knowsNobody = true;
        nodes.current();
        answer();
        assertEquals(List.of(), List.copyOf(nodes.current().join()));
    }

    @Test
    @DisplayName("peers that come while NiFi is being asked share its answer")
    void singleFlight() {
        final CompletableFuture<Collection<NodeInformation>> first = nodes.current();
        pass(Duration.ofSeconds(3));
        final CompletableFuture<Collection<NodeInformation>> second = nodes.current();
        assertFalse(first.isDone());
        assertEquals(1, questions.size());
        answer();
        assertTrue(first.isDone());
        assertTrue(second.isDone());
        assertEquals(1, current());
        assertEquals(1, asked);
    }

    @Test
    @DisplayName(
            "while the coordinator hangs, peers get the last list after a second, and then at once, for five minutes")
    void hanging() {
        nodes.current();
        answer();
        pass(Duration.ofSeconds(1));
        final CompletableFuture<Collection<NodeInformation>> waiting = nodes.current();
        assertFalse(waiting.isDone());
        pass(Duration.ofSeconds(1));
        assertEquals(1, current());
        assertFalse(waiting.isDone());
        pass(Duration.ofSeconds(4));
        assertEquals(1, current());
        assertEquals(1, log.lines(Level.WARN).size(), log.lines(Level.WARN)::toString);
        assertTrue(log.lines(Level.WARN).get(0).contains("no answer for 5 s"), log.lines(Level.WARN)::toString);
        pass(Duration.ofMinutes(5));
        assertFalse(nodes.current().isDone());
        answer();
        assertEquals(2, current());
        assertEquals(1, log.lines(Level.WARN).size());
        assertEquals(List.of("NiFi lists the nodes of its cluster again"), log.lines(Level.INFO));
    }

    @Test
    @DisplayName(
            "while the coordinator fails, peers get the last list, NiFi is asked once a second, and one line says so")
    void failing() {
        nodes.current();
        answer();
        failure = new IOException("no route to coordinator");
        for (int second = 0; second < 300; second++) {
            pass(Duration.ofSeconds(1));
            nodes.current();
            answer();
            assertEquals(1, current());
        }
        assertEquals(301, asked);
        assertEquals(1, log.lines(Level.WARN).size(), log.lines(Level.WARN)::toString);
        assertTrue(log.lines(Level.WARN).get(0).contains("no route to coordinator"));
        pass(Duration.ofSeconds(1));
        final CompletableFuture<Collection<NodeInformation>> tooOld = nodes.current();
        answer();
        assertInstanceOf(
                IOException.class,
                assertThrows(CompletionException.class, tooOld::join).getCause());
    }

    @Test
    @DisplayName("a coordinator that answers now and then makes one line a minute, and peers don't notice")
    void flapping() {
        nodes.current();
        answer();
        for (int second = 0; second < 120; second++) {
            failure = second % 2 == 0 ? new IOException("flapping") : null;
            pass(Duration.ofSeconds(1));
            nodes.current();
            answer();
            current();
        }
        assertEquals(2, log.lines(Level.WARN).size());
    }

    @Test
    @DisplayName("without a list a peer hears the failure at once, and NiFi is still asked once a second")
    void neverAnswered() {
        failure = new IOException("no coordinator yet");
        final CompletableFuture<Collection<NodeInformation>> first = nodes.current();
        answer();
        assertThrows(CompletionException.class, first::join);
        pass(Duration.ofMillis(999));
        assertThrows(CompletionException.class, nodes.current()::join);
        assertEquals(0, questions.size());
        failure = null;
        pass(Duration.ofMillis(1));
        nodes.current();
        answer();
        assertEquals(2, current());
    }

    @Test
    @DisplayName("when the listener stops, nobody waits for an answer")
    void stopped() {
        final ClusterNodes stopping = new ClusterNodes(
                this::ask,
                question -> {
                    throw new RejectedExecutionException("stopped");
                },
                () -> now);
        assertThrows(CompletionException.class, stopping.current()::join);
    }
}
