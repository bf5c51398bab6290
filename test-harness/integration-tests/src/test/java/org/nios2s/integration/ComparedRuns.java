// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.DynamicTest;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiNode;

/**
 * A corpus, held with a NiFi with the stock listener and with one with ours at the same time, and what came of it.
 * Both are spoken to on threads of this class's own; used by the thread of the tests.
 */
final class ComparedRuns {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<Conversation> corpus;
    private final CorpusRun stock;
    private final CorpusRun nio;

    private ComparedRuns(final List<Conversation> corpus, final NifiNode stock, final NifiNode nio) throws IOException {
        this.corpus = corpus;
        this.stock = new CorpusRun(stock, corpus);
        this.nio = new CorpusRun(nio, corpus);
    }

    /** Holds all conversations with both. */
    static ComparedRuns of(final List<Conversation> corpus, final NifiNode stock, final NifiNode nio) throws Exception {
        final ComparedRuns runs = new ComparedRuns(corpus, stock, nio);
        try (ExecutorService both = Executors.newFixedThreadPool(2)) {
            final List<Future<?>> held =
                    List.of(both.submit(() -> hold(runs.stock)), both.submit(() -> hold(runs.nio)));
            for (final Future<?> run : held) {
                run.get();
            }
        }
        runs.awaitProvenance();
        return runs;
    }

    private static Void hold(final CorpusRun run) throws Exception {
        run.hold();
        return null;
    }

    /** Provenance is indexed a while after the fact: until every conversation is as it should be, or time is over. */
    private void awaitProvenance() {
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofSeconds(2))
                    .until(() -> {
                        stock.readProvenance();
                        nio.readProvenance();
                        return corpus.stream().allMatch(this::isAsExpected);
                    });
        } catch (final ConditionTimeoutException e) {
            // Which conversation it is, the comparison of each will say.
        }
    }

    private boolean isAsExpected(final Conversation conversation) {
        return conversation.events() == stock.events(conversation)
                && conversation.difference().alone().get(Listener.STOCK).equals(alone(stock, nio, conversation))
                && conversation.difference().alone().get(Listener.NIO).equals(alone(nio, stock, conversation));
    }

    /** One test for each conversation. */
    Stream<DynamicTest> tests() {
        return corpus.stream()
                .map(conversation -> DynamicTest.dynamicTest(conversation.name(), () -> compare(conversation)));
    }

    private void compare(final Conversation conversation) {
        final Observation expected = stock.of(conversation);
        final Observation observed = nio.of(conversation);
        assertEquals(List.of(), expected.surprises(), "the script is not what the stock listener does");
        assertFalse(expected.seen().isEmpty());
        final List<String> stockAlone = alone(stock, nio, conversation);
        final List<String> nioAlone = alone(nio, stock, conversation);
        if (conversation.difference().name().isEmpty()) {
            assertEquals(expected.text(), observed.text());
        } else {
            assertFalse(
                    stockAlone.isEmpty() && nioAlone.isEmpty(),
                    () -> "the listeners no longer differ in '"
                            + conversation.difference().name().get() + "'");
        }
        assertEquals(
                outcome(
                        conversation.events(),
                        conversation.difference().alone().get(Listener.STOCK),
                        conversation.difference().alone().get(Listener.NIO)),
                outcome(stock.events(conversation), stockAlone, nioAlone));
    }

    /** As the lines of a conversation would say it. */
    private static String outcome(final int events, final List<String> stock, final List<String> ours) {
        final StringBuilder script = new StringBuilder("events ").append(events).append(System.lineSeparator());
        stock.forEach(
                line -> script.append("stock ").append(ScriptLine.quote(line)).append(System.lineSeparator()));
        ours.forEach(
                line -> script.append("ours ").append(ScriptLine.quote(line)).append(System.lineSeparator()));
        return script.toString();
    }

    /** What one run has seen of a conversation and another one has not. */
    private static List<String> alone(final CorpusRun one, final CorpusRun other, final Conversation conversation) {
        final List<String> alone = new ArrayList<>(one.of(conversation).seen());
        other.of(conversation).seen().forEach(alone::remove);
        return alone;
    }
}
