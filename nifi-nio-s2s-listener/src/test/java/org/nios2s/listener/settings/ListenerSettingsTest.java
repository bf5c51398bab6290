// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The settings, right and wrong. Lives on the test's thread. */
class ListenerSettingsTest {
    private static final String PREFIX = "nifi.remote.input.nio.";

    private static ListenerSettings with(final String... settings) {
        final Map<String, String> properties = new HashMap<>();
        for (int i = 0; i < settings.length; i += 2) {
            properties.put(PREFIX + settings[i], settings[i + 1]);
        }
        return ListenerSettings.from(new NiFiProperties(properties));
    }

    @Test
    @DisplayName("without any setting the defaults hold")
    void defaults() {
        final ListenerSettings settings = with();
        assertTrue(settings.enabled());
        assertEquals(Math.max(2, Runtime.getRuntime().availableProcessors()), settings.workerThreads());
        assertEquals(TransportSelection.Choice.AUTO, settings.transport());
        assertEquals(10_000, settings.requestQueueSize());
        assertTrue(settings.transactionMemory() <= settings.bufferMemory());
        assertEquals(0, settings.connectionsMax());
        assertEquals(0, settings.connectionsMaxPerAddress());
        assertEquals(Duration.ofSeconds(30), settings.handshakeTimeout());
        assertTrue(settings.resolveHostnames());
    }

    @Test
    @DisplayName("every setting is read, with its unit, whatever stands around it")
    void values() {
        final ListenerSettings settings = with(
                "enabled", "FALSE",
                "worker.threads", " 3 ",
                "transport", "nio",
                "request.queue.size", "77",
                "buffer.memory", "2 GB",
                "transaction.memory", "64 KB",
                "streaming.transactions", "5",
                "commit.transactions", "9",
                "commit.bytes", "1 MB",
                "connections.max", "1000",
                "connections.max.per.address", "10",
                "handshake.timeout", "5 secs",
                "resolve.hostnames", "false");
        assertFalse(settings.enabled());
        assertEquals(3, settings.workerThreads());
        assertEquals(TransportSelection.Choice.NIO, settings.transport());
        assertEquals(77, settings.requestQueueSize());
        assertEquals(2L * 1024 * 1024 * 1024, settings.bufferMemory());
        assertEquals(64 * 1024, settings.transactionMemory());
        assertEquals(5, settings.streamingTransactions());
        assertEquals(9, settings.commitTransactions());
        assertEquals(1024 * 1024, settings.commitBytes());
        assertEquals(1000, settings.connectionsMax());
        assertEquals(10, settings.connectionsMaxPerAddress());
        assertEquals(Duration.ofSeconds(5), settings.handshakeTimeout());
        assertFalse(settings.resolveHostnames());
        assertTrue(settings.describe().contains("request.queue.size=77"), settings.describe());
    }

    @Test
    @DisplayName("a blank value is the default")
    void blank() {
        assertEquals(with(), with("worker.threads", " ", "buffer.memory", ""));
    }

    @ParameterizedTest
    @CsvSource({
        "enabled, yes, true or false",
        "resolve.hostnames, 1, true or false",
        "worker.threads, 0, a whole number from 1",
        "worker.threads, many, a whole number from 1",
        "worker.threads, 99999999999, a whole number from 1",
        "transport, kqueue, 'auto, epoll or nio'",
        "request.queue.size, -1, a whole number from 1",
        "request.queue.size, 10.5, a whole number from 1",
        "buffer.memory, 1, a data size such as 64 MB",
        "buffer.memory, 10, a data size such as 64 MB",
        "buffer.memory, lots, a data size such as 64 MB",
        "transaction.memory, 1 B, a data size such as 64 MB",
        "streaming.transactions, 0, a whole number from 1",
        "commit.transactions, 0, a whole number from 1",
        "commit.bytes, -5 MB, a data size such as 64 MB",
        "connections.max, -1, a whole number from 0",
        "connections.max.per.address, x, a whole number from 0",
        "handshake.timeout, 30, a time such as 30 secs",
        "handshake.timeout, 1 millis, a time such as 30 secs"
    })
    @DisplayName("a wrong value names the key, the value and what is accepted")
    void wrongValue(final String name, final String value, final String accepted) {
        final String message = assertThrows(IllegalArgumentException.class, () -> with(name, value))
                .getMessage();
        assertTrue(message.startsWith(PREFIX + name + "=" + value + " is not accepted; use " + accepted), message);
    }

    @Test
    @DisplayName("an unknown key is named, with those that there are")
    void unknownKey() {
        final String message = assertThrows(IllegalArgumentException.class, () -> with("worker.treads", "2"))
                .getMessage();
        assertTrue(message.startsWith(PREFIX + "worker.treads is no setting"), message);
        assertTrue(message.contains(PREFIX + "worker.threads"), message);
    }

    @Test
    @DisplayName("a transaction may not take more than all connections together")
    void transactionBeyondBudget() {
        final String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> with("buffer.memory", "1 MB", "transaction.memory", "2 MB"))
                .getMessage();
        assertTrue(message.contains(PREFIX + "transaction.memory=") && message.contains(PREFIX + "buffer.memory="));
    }
}
