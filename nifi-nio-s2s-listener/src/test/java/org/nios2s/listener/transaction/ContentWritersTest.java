// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.limits.TestHolder;

/** Tests of {@link ContentWriters}. Lives on the test's thread, which also does what the others would, with a clock of its own. */
@DisplayName("Writers of contents")
class ContentWritersTest {
    private final AtomicLong clock = new AtomicLong();
    private final Queue<Runnable> threads = new ArrayDeque<>();
    private final List<String> written = new ArrayList<>();
    private final ContentWriters writers = new ContentWriters(threads::add, 1, 2, clock::get);

    private final TestHolder peer = new TestHolder("peer");

    private void runThread() {
        threads.remove().run();
    }

    @Test
    @DisplayName("write one turn after the other")
    void inOrder() {
        writers.execute(peer, () -> written.add("one"));
        writers.execute(peer, () -> written.add("two"));
        assertEquals(1, threads.size());
        runThread();
        assertEquals(List.of("one", "two"), written);
        writers.execute(peer, () -> written.add("three"));
        runThread();
        assertEquals(List.of("one", "two", "three"), written);
    }

    @Test
    @DisplayName("have peers take turns: one that has many to write comes behind another with one")
    void byPeer() {
        writers.execute(peer, () -> written.add("many 1"));
        writers.execute(peer, () -> written.add("many 2"));
        writers.execute(peer, () -> written.add("many 3"));
        writers.execute(new TestHolder("other"), () -> written.add("other"));
        runThread();
        assertEquals(List.of("many 1", "other", "many 2", "many 3"), written);
    }

    @Test
    @DisplayName("go on beside a turn that is blocked, by another thread, up to a bound")
    void blocked() {
        writers.execute(peer, () -> {
            writers.execute(peer, () -> written.add("other"));
            assertEquals(0, threads.size());
            clock.addAndGet(Duration.ofSeconds(2).toNanos());
            writers.startThreads();
            runThread();
            assertEquals(List.of("other"), written);
            writers.execute(peer, () -> {
                clock.addAndGet(Duration.ofSeconds(2).toNanos());
                writers.execute(peer, () -> written.add("beyond"));
                writers.startThreads();
                assertEquals(0, threads.size());
            });
            runThread();
            written.add("blocked");
        });
        runThread();
        assertEquals(List.of("other", "beyond", "blocked"), written);
    }

    @Test
    @DisplayName("run a turn never where they have refused it, and later where a thread is there")
    void refused() {
        final ContentWriters refusing = new ContentWriters(
                turn -> {
                    throw new RejectedExecutionException("test");
                },
                1,
                2,
                clock::get);
        assertThrows(RejectedExecutionException.class, () -> refusing.execute(peer, () -> written.add("refused")));
        refusing.startThreads();
        assertEquals(List.of(), written);
    }
}
