// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nios2s.listener.limits.RateRule;

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
        assertEquals(
                Math.max(2, Runtime.getRuntime().availableProcessors()),
                settings.io().workerThreads());
        assertEquals(TransportSelection.Choice.AUTO, settings.io().transport());
        assertEquals(10_000, settings.ports().requestQueueSize());
        assertTrue(settings.memory().transaction() <= settings.memory().buffer());
        assertEquals(0, settings.connections().max());
        assertEquals(0, settings.connections().maxPerAddress());
        assertEquals(Duration.ofSeconds(30), settings.connections().handshakeTimeout());
        assertTrue(settings.peers().resolveHostnames());
        assertEquals(Networks.NONE, settings.peers().proxyProtocolFrom());
    }

    @Test
    @DisplayName("every setting is read, with its unit, whatever stands around it")
    void values() throws Exception {
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
                "proxy.protocol.from", "10.0.0.0/8, 2001:db8::7",
                "resolve.hostnames", "false");
        assertFalse(settings.enabled());
        assertEquals(3, settings.io().workerThreads());
        assertEquals(TransportSelection.Choice.NIO, settings.io().transport());
        assertEquals(77, settings.ports().requestQueueSize());
        assertEquals(2L * 1024 * 1024 * 1024, settings.memory().buffer());
        assertEquals(64 * 1024, settings.memory().transaction());
        assertEquals(5, settings.ports().streamingTransactions());
        assertEquals(9, settings.commits().transactions());
        assertEquals(1024 * 1024, settings.commits().bytes());
        assertEquals(1000, settings.connections().max());
        assertEquals(10, settings.connections().maxPerAddress());
        assertEquals(Duration.ofSeconds(5), settings.connections().handshakeTimeout());
        assertTrue(settings.peers().proxyProtocolFrom().test(InetAddress.getByName("10.1.2.3")));
        assertTrue(settings.peers().proxyProtocolFrom().test(InetAddress.getByName("2001:db8::7")));
        assertFalse(settings.peers().proxyProtocolFrom().test(InetAddress.getByName("11.0.0.1")));
        assertFalse(settings.peers().resolveHostnames());
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
        "handshake.timeout, 1 millis, a time such as 30 secs",
        "in.doubt.time, 1, '0, or a time such as 30 secs'",
        "drain.before.stop, never, '0, or a time such as 30 secs'",
        "proxy.protocol.from, balancer.example, addresses or networks",
        "proxy.protocol.from, 10.0.0.0/33, addresses or networks",
        "proxy.protocol.from, 10.0.0.7/8, addresses or networks"
    })
    @DisplayName("a wrong value names the key, the value and what is accepted")
    void wrongValue(final String name, final String value, final String accepted) {
        final String message = assertThrows(IllegalArgumentException.class, () -> with(name, value))
                .getMessage();
        assertTrue(message.startsWith(PREFIX + name + "=" + value + " is not accepted; use " + accepted), message);
    }

    @Test
    @DisplayName("rules of rates stand in the order of their names, each with whom it is for and what it limits")
    void rates() throws Exception {
        final List<RateRule> rates = with(
                        "rate.20-others.address", "10.1.0.0/16, 2001:db8::/32,192.0.2.7",
                        "rate.20-others.transactions", "10",
                        "rate.10-plant.identity", "CN=agent-.*, OU=plant",
                        "rate.10-plant.bytes", "1 MB")
                .peers()
                .rates();
        assertEquals(
                List.of("10-plant", "20-others"),
                rates.stream().map(RateRule::name).toList());
        assertEquals(1024 * 1024, rates.get(0).bytesPerSecond());
        assertEquals(0, rates.get(0).transactionsPerSecond());
        assertEquals(10, rates.get(1).transactionsPerSecond());
        final Predicate<InetAddress> addresses = rates.get(1).addresses().orElseThrow();
        for (final String inside : List.of("10.1.0.0", "10.1.255.255", "2001:db8::7", "192.0.2.7")) {
            assertTrue(addresses.test(InetAddress.getByName(inside)), inside);
        }
        for (final String outside : List.of("10.2.0.0", "10.0.255.255", "2001:db9::7", "192.0.2.6", "::a01:1")) {
            assertFalse(addresses.test(InetAddress.getByName(outside)), outside);
        }
        assertEquals(List.of(), with().peers().rates());
    }

    @ParameterizedTest
    @CsvSource({
        "bytes, 0, a data size such as 64 MB",
        "bytes, 0 B, a data size such as 64 MB",
        "bytes, 1 KB, a data size such as 64 MB",
        "transactions, 0, a whole number from 1",
        "transactions, -1, a whole number from 1",
        "transactions, 0.5, a whole number from 1",
        "identity, 'CN=(', a regular expression",
        "address, agent.example, addresses or networks",
        "address, 10.0.0.7/8, addresses or networks",
        "address, 10.0.0.0/33, addresses or networks",
        "address, 10.0.0.0/-1, addresses or networks",
        "address, 10.0.0.0/, addresses or networks",
        "address, '10.0.0.7,', addresses or networks"
    })
    @DisplayName("a wrong value of a rule names the key, the value and what is accepted")
    void wrongRate(final String key, final String value, final String accepted) {
        final Map<String, String> rule = new HashMap<>(Map.of("address", "10.0.0.7", "bytes", "1 MB"));
        rule.put(key, value);
        final String[] settings = rule.entrySet().stream()
                .flatMap(entry -> Stream.of("rate.slow." + entry.getKey(), entry.getValue()))
                .toArray(String[]::new);
        final String message = assertThrows(IllegalArgumentException.class, () -> with(settings))
                .getMessage();
        assertTrue(
                message.startsWith(PREFIX + "rate.slow." + key + "=" + value + " is not accepted; use " + accepted),
                message);
    }

    @ParameterizedTest
    @CsvSource({
        "rate.slow.bytes, 1 MB, rate.slow names no peers",
        "rate.slow.address, 10.0.0.7, rate.slow limits nothing",
        "rate.slow.byte, 1 MB, rate.slow names no peers",
        "rate.bytes, 1 MB, rate.bytes is not a setting",
        "rate..bytes, 1 MB, rate..bytes is not a setting"
    })
    @DisplayName("half a rule, or a misspelt one, is named")
    void incompleteRate(final String key, final String value, final String expected) {
        final String message = assertThrows(IllegalArgumentException.class, () -> with(key, value))
                .getMessage();
        assertTrue(message.startsWith(PREFIX + expected), message);
    }

    @Test
    @DisplayName("an unknown key is named, with those that there are")
    void unknownKey() {
        final String message = assertThrows(IllegalArgumentException.class, () -> with("worker.treads", "2"))
                .getMessage();
        assertTrue(message.startsWith(PREFIX + "worker.treads is not a setting"), message);
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
