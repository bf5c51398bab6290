// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The corpus over TLS, with policies and routes: TLS is another way through our listener, on which a connection closes
 * otherwise. Left out is what takes long and is the same with TLS.
 * Runs on the thread of the tests.
 */
class FidelityOverTlsIT {

    private static final Set<String> LEFT_OUT = Set.of();

    private static ComparedRuns runs;

    @BeforeAll
    static void holdAllConversations() throws Exception {
        final List<Conversation> corpus = ConversationCorpus.read(System.getProperty("conversation", "")).stream()
                .filter(conversation -> !LEFT_OUT.contains(conversation.name()))
                .map(Conversation::overTls)
                .toList();
        runs = ComparedRuns.of(corpus, SharedNifi.STOCK_SECURED.get(), SharedNifi.NIO_SECURED.get());
    }

    @TestFactory
    Stream<DynamicTest> bothListenersAnswerAlike() {
        return runs.tests();
    }
}
