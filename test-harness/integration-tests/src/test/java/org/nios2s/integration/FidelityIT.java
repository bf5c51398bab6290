// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The corpus of conversations, held with the stock listener and with ours in the same flow: every answer, whether the
 * connection stays open, what ends up in queues, in the ledger and in provenance is the same. Where a difference is
 * documented, what each of them does is pinned.
 * Runs on the thread of the tests.
 */
@Order(1)
@ResourceLock(SharedNifi.Lock.NIO)
@ResourceLock(SharedNifi.Lock.STOCK)
class FidelityIT {

    private static final Path DIFFERENCES = Path.of("..", "..", "docs", "protocol-differences.md");
    private static final String SECTION = "## ";
    private static final int FEWEST_CONVERSATIONS = 350;

    private static List<Conversation> corpus;
    private static ComparedRuns runs;

    @BeforeAll
    static void holdAllConversations() throws Exception {
        corpus = ConversationCorpus.read(System.getProperty("conversation", ""));
        runs = ComparedRuns.of(corpus, SharedNifi.STOCK.get(), SharedNifi.NIO.get());
    }

    @TestFactory
    Stream<DynamicTest> bothListenersAnswerAlike() {
        return runs.tests();
    }

    @Test
    void everyDifferenceIsDocumentedAndShown() throws IOException {
        final Set<String> documented;
        try (Stream<String> lines = Files.lines(DIFFERENCES)) {
            documented = lines.filter(line -> line.startsWith(SECTION))
                    .map(line -> line.substring(SECTION.length()))
                    .filter(title -> !title.contains(" "))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
        final Set<String> shown = new TreeSet<>();
        for (final Conversation conversation : ConversationCorpus.read("")) {
            conversation.difference().name().ifPresent(shown::add);
            conversation.differenceOverTls().name().ifPresent(shown::add);
        }
        assertEquals(documented, shown, () -> "sections of " + DIFFERENCES + " and differences of the corpus");
    }

    @Test
    void theCorpusIsLargeEnough() throws IOException {
        final int size = ConversationCorpus.read("").size();
        assertTrue(size >= FEWEST_CONVERSATIONS, () -> "There are only " + size + " conversations");
    }
}
