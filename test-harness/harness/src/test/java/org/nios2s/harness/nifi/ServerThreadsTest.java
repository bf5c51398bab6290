// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Which listener serves, by the threads of its process. Runs on the test's thread. */
class ServerThreadsTest {

    private static final String WORKER = """
            "Timer-Driven Process Thread-1" #80 prio=5
               java.lang.Thread.State: WAITING (parking)
            "Site-to-Site NIO Worker-2-1" #96 prio=10
               java.lang.Thread.State: RUNNABLE
                at %s
            """;

    @Test
    void aListenerIsTheOneThatHasThreads() {
        assertEquals("nio", ServerThreads.listener(List.of("main", "Site-to-Site NI")));
        assertEquals("stock", ServerThreads.listener(List.of("Site-to-Site Li", "Site-to-Site Wo")));
        assertEquals("nio and stock", ServerThreads.listener(List.of("Site-to-Site Li", "Site-to-Site NI")));
        assertEquals("none", ServerThreads.listener(List.of("main")));
    }

    @Test
    void aThreadOfThisProcessIsSeenByItsName() {
        assertEquals("none", ServerThreads.listener(ProcessHandle.current()));
        final Thread thread =
                new Thread(() -> Awaitility.await().forever().until(Thread::interrupted), "Site-to-Site Listener");
        thread.setDaemon(true);
        thread.start();
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> ServerThreads.listener(ProcessHandle.current())
                .equals("stock"));
        thread.interrupt();
    }

    @Test
    void theStacksOfTheWorkersTellTheTransport() {
        assertEquals(
                "epoll",
                ServerThreads.transport(WORKER.formatted("a.b.netty.channel.epoll.Native.epollWait0(Native Method)")));
        assertEquals(
                "nio", ServerThreads.transport(WORKER.formatted("sun.nio.ch.EPoll.wait(java.base@25/Native Method)")));
        assertNull(ServerThreads.transport("\"main\" #1\n at sun.nio.ch.EPoll.wait"));
        assertEquals("a pool of threads", ServerThreads.scheduling(WORKER));
        assertEquals("no pool of threads", ServerThreads.scheduling("\"main\" #1"));
    }
}
