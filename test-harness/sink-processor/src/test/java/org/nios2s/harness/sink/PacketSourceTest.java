// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.nifi.processor.ProcessSession;
import org.junit.jupiter.api.Test;

/** How long the source keeps its thread. Lives on the test's thread. */
class PacketSourceTest {

    private static final long COMMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger commits = new AtomicInteger();

    @Test
    void aVisitLastsAsLongAsARunOfAPortTask() {
        final ProcessSession session = (ProcessSession) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ProcessSession.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("commit")) {
                        commits.incrementAndGet();
                        nanos.addAndGet(COMMIT_NANOS);
                    }
                    return null;
                });
        final PacketSource source = new PacketSource(nanos::get);
        source.updateScheduledTrue();

        source.onTrigger(null, () -> session);

        assertEquals(3, commits.get());
        assertEquals(PacketSource.MAX_VISIT_NANOS, nanos.get());
    }
}
