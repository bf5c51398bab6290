// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The corpus of conversations, held with the stock listener and with ours in the same flow: every answer, whether the
 * connection stays open, what ends up in queues, in the ledger and in provenance is the same, but for the differences
 * that are documented.
 * Both NiFis are spoken to at the same time, on threads of this test's own.
 */
class FidelityIT {

    private static final Path DIFFERENCES = Path.of("..", "..", "docs", "protocol-differences.md");
    private static final int FEWEST_CONVERSATIONS = 150;

    private static List<Conversation> corpus;
    private static CorpusRun stock;
    private static CorpusRun nio;

    @BeforeAll
    static void holdAllConversations() throws Exception {
        final List<Conversation> all = ConversationCorpus.read();
        final String only = System.getProperty("conversation", "");
        corpus = all.stream().filter(found -> found.name().contains(only)).toList();
        stock = new CorpusRun(SharedNifi.STOCK.get(), corpus);
        nio = new CorpusRun(SharedNifi.NIO.get(), corpus);
        try (ExecutorService both = Executors.newFixedThreadPool(2)) {
            final List<Future<?>> runs = List.of(both.submit(() -> hold(stock)), both.submit(() -> hold(nio)));
            for (final Future<?> run : runs) {
                run.get();
            }
        }
        nio.awaitProvenanceLike(stock);
    }

    private static Void hold(final CorpusRun run) throws Exception {
        run.hold();
        return null;
    }

    @TestFactory
    Stream<DynamicTest> bothListenersAnswerAlike() {
        return corpus.stream()
                .map(conversation -> DynamicTest.dynamicTest(conversation.name(), () -> compare(conversation)));
    }

    @Test
    void everyDifferenceIsDocumented() throws IOException {
        final String documented = Files.readString(DIFFERENCES);
        for (final Conversation conversation : corpus) {
            conversation
                    .difference()
                    .ifPresent(name -> assertTrue(
                            documented.contains("## " + name),
                            () -> DIFFERENCES + " has no section '## " + name + "', which " + conversation + " needs"));
        }
    }

    @Test
    void theCorpusIsLargeEnough() {
        assertTrue(
                corpus.size() >= FEWEST_CONVERSATIONS
                        || !System.getProperty("conversation", "").isEmpty(),
                () -> "There are only " + corpus.size() + " conversations");
    }

    private static void compare(final Conversation conversation) {
        final Observation expected = stock.of(conversation);
        final Observation observed = nio.of(conversation);
        assertEquals(List.of(), expected.surprises(), "the script is not what the stock listener does");
        assertFalse(expected.seen().isEmpty());
        if (conversation.difference().isPresent()) {
            assertNotEquals(
                    expected.seen(),
                    observed.seen(),
                    () -> "the listeners no longer differ in '"
                            + conversation.difference().get() + "'");
        } else {
            assertEquals(expected.text(), observed.text());
        }
    }
}
