// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.nios2s.harness.nifi.NifiNode;

/**
 * A part of the corpus over TLS, with policies and routes: TLS is another way through our listener, on which a connection
 * closes otherwise.
 * Runs on the thread of the tests.
 */
@ResourceLock(SharedNifi.Lock.NIO_SECURED)
@ResourceLock(SharedNifi.Lock.STOCK_SECURED)
class FidelityOverTlsIT {

    /**
     * What of the corpus is held unless the one who runs it asks for something else. The end behind a whole push is left out: whether
     * we answer that push depends on whether one read brings both.
     */
    private static final String CHOSEN =
            "^(disable|disconnect|half-close-(?!behind-finish)|stop-(a-pull|.*silence)|peer-list|push-in-v|minifi)";

    private static ComparedRuns runs;

    @BeforeAll
    static void holdConversations() throws Exception {
        final NifiNode stock = SharedNifi.STOCK_SECURED.get();
        final List<Conversation> chosen = ConversationCorpus.read(System.getProperty("conversation", CHOSEN)).stream()
                .map(conversation -> conversation.overTls(stock.info().version()))
                .toList();
        runs = ComparedRuns.of(chosen, stock, SharedNifi.NIO_SECURED.get());
    }

    @TestFactory
    Stream<DynamicTest> bothListenersAnswerAlike() {
        return runs.tests();
    }
}
