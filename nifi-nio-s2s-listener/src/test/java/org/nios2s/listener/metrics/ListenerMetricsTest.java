// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.metrics.ListenerMetrics.Histogram;
import org.nios2s.listener.time.NanoClock;

/** What is counted and measured, and how it is read. Lives on the test's thread. */
@DisplayName("Metrics")
class ListenerMetricsTest {
    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();
    private static final int PORT = 4711;
    private static final int DEADLINE_SECONDS = 10;
    private static final String LISTENER = "org.nios2s:type=SiteToSiteListener,port=4711";
    private static final String OF_PORT = "org.nios2s:type=SiteToSitePort,port=4711,id=an-id,name=\"a, \\\"name\\\"\"";

    private final ListenerMetrics metrics = new ListenerMetrics(PORT, NanoClock.SYSTEM);

    @AfterEach
    void close() {
        metrics.close();
    }

    private static Object read(final String bean, final String attribute) throws Exception {
        return SERVER.getAttribute(new ObjectName(bean), attribute);
    }

    private ListenerMetrics ofPort() {
        return metrics.ofPort("an-id", "a, \"name\"", Map.of("TransactionsWaiting", () -> 7));
    }

    @Test
    @DisplayName("while deleted ports are looked for, another thread gets the metrics of a port")
    void noLockAroundTheFlow() {
        ofPort();
        metrics.retainPorts(id -> {
            CompletableFuture.runAsync(() -> metrics.ofPort("another", "port", Map.of()))
                    .orTimeout(DEADLINE_SECONDS, TimeUnit.SECONDS)
                    .join();
            return true;
        });
    }

    @Test
    @DisplayName("a port that is gone leaves no bean behind, and the listener's counts as they are")
    void deletedPort() throws Exception {
        try (ListenerMetrics listener = new ListenerMetrics(1, NanoClock.SYSTEM)) {
            listener.publish(Map.of());
            final ListenerMetrics gone = listener.ofPort("gone", "port", Map.of());
            gone.add(Counter.FAULTS, 1);
            listener.ofPort("kept", "port", Map.of());
            assertEquals(2, beansOfPorts());
            listener.retainPorts("kept"::equals);
            assertEquals(1, beansOfPorts());
            assertEquals(1, listener.get(Counter.FAULTS));
            assertEquals(0, listener.ofPort("gone", "port", Map.of()).get(Counter.FAULTS));
        }
        assertEquals(0, beansOfPorts());
    }

    private static int beansOfPorts() throws Exception {
        return ManagementFactory.getPlatformMBeanServer()
                .queryNames(new ObjectName("org.nios2s:type=SiteToSitePort,*"), null)
                .size();
    }

    @Test
    @DisplayName("of a port are the listener's, too")
    void counts() throws Exception {
        metrics.publish(Map.of());
        final ListenerMetrics port = ofPort();
        port.committed(3, 5, 70);
        metrics.ofPort("other", "other", Map.of()).committed(1, 1, 1);
        port.sent(2, 20);
        port.add(Counter.PULLS_ROLLED_BACK, 1);
        assertEquals(port, ofPort());
        assertEquals(
                List.of(3L, 5L, 70L, 1L, 1L, 2L, 20L, 1L),
                Stream.of(
                                Counter.PUSHES_COMMITTED,
                                Counter.FLOW_FILES_RECEIVED,
                                Counter.BYTES_RECEIVED,
                                Counter.COMMITS,
                                Counter.PULLS_COMMITTED,
                                Counter.FLOW_FILES_SENT,
                                Counter.BYTES_SENT,
                                Counter.PULLS_ROLLED_BACK)
                        .map(port::get)
                        .toList());
        assertEquals(3L, read(OF_PORT, "PushesCommitted"));
        assertEquals(7, read(OF_PORT, "TransactionsWaiting"));
        assertEquals(4L, read(LISTENER, "PushesCommitted"));
        assertEquals(2L, read(LISTENER, "Commits"));
        assertEquals(71L, read(LISTENER, "BytesReceived"));
    }

    @Test
    @DisplayName("are percentiles of this minute and the last, to one percent, and of no earlier one")
    void measures() throws Exception {
        metrics.publish(Map.of());
        for (int millis = 1; millis <= 100; millis++) {
            ofPort().record(Histogram.SEND_TIME_MS, TimeUnit.MILLISECONDS.toNanos(millis));
            metrics.committed(millis, 0, 0);
        }
        for (int minute = 0; minute < 2; minute++) {
            assertEquals(50, (double) read(LISTENER, "SendTimeMs50thPercentile"), 0.5);
            assertEquals(99, (double) read(LISTENER, "SendTimeMs99thPercentile"), 1);
            assertEquals(100, (double) read(LISTENER, "SendTimeMsMax"), 1);
            assertEquals(50.0, read(LISTENER, "CommitSize50thPercentile"));
            assertEquals(100.0, read(LISTENER, "CommitSizeMax"));
            metrics.startNextMinute();
        }
        assertEquals(0.0, read(LISTENER, "SendTimeMs50thPercentile"));
        assertEquals(0.0, read(LISTENER, "CommitSizeMax"));
    }

    @Test
    @DisplayName("take what no clock should say")
    void extremes() {
        for (final long value : new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE}) {
            metrics.record(Histogram.QUEUE_TIME_MS, value);
        }
        assertEquals(
                TimeUnit.HOURS.toMillis(1),
                metrics.maxOfThisMinute(Histogram.QUEUE_TIME_MS),
                TimeUnit.MINUTES.toMillis(1));
    }

    @Test
    @DisplayName("can be read, and nothing else")
    void readOnly() throws Exception {
        metrics.publish(Map.of());
        final ObjectName bean = new ObjectName(LISTENER);
        for (final MBeanAttributeInfo attribute : SERVER.getMBeanInfo(bean).getAttributes()) {
            final Object value = SERVER.getAttribute(bean, attribute.getName());
            assertEquals(attribute.getType(), value.getClass().getName());
            assertFalse(attribute.isWritable());
        }
        assertEquals(
                List.of(new Attribute("Faults", 0L)),
                SERVER.getAttributes(bean, new String[] {"none", "Faults"}).asList());
        assertThrows(AttributeNotFoundException.class, () -> read(LISTENER, "none"));
        assertThrows(AttributeNotFoundException.class, () -> SERVER.setAttribute(bean, new Attribute("Faults", 1L)));
        assertThrows(ReflectionException.class, () -> SERVER.invoke(bean, "reset", null, null));
    }

    @Test
    @DisplayName("come with what an operator may call, without parameters")
    void operations() throws Exception {
        metrics.publish(Map.of(), Map.of("drain", new Operation("what it does", () -> "done")));
        final ObjectName bean = new ObjectName(LISTENER);
        assertEquals(
                "what it does", SERVER.getMBeanInfo(bean).getOperations()[0].getDescription());
        assertEquals("done", SERVER.invoke(bean, "drain", new Object[0], new String[0]));
        assertThrows(
                ReflectionException.class, () -> SERVER.invoke(bean, "drain", new Object[] {1}, new String[] {"int"}));
        assertThrows(ReflectionException.class, () -> SERVER.invoke(bean, "resume", null, null));
    }

    @Test
    @DisplayName("are gone with the listener, and a name that is taken does no harm")
    void lifeCycle() throws Exception {
        metrics.publish(Map.of());
        ofPort();
        try (ListenerMetrics second = new ListenerMetrics(PORT, NanoClock.SYSTEM)) {
            second.publish(Map.of());
            second.ofPort("an-id", "a port", Map.of()).committed(1, 1, 1);
            assertEquals(1, second.get(Counter.COMMITS));
        }
        final ObjectName all = new ObjectName("org.nios2s:port=4711,*");
        assertEquals(2, SERVER.queryNames(all, null).size());
        metrics.close();
        assertEquals(Set.of(), SERVER.queryNames(all, null));
    }
}
