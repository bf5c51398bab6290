// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.nios2s.client.ClientStatistics;
import org.nios2s.client.InputPort;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.OutputPort;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.SiteToSite;

/**
 * A NiFi in memory, for tests of code that uses a {@link SiteToSite}: input ports that collect, output ports that give,
 * failures on demand. The client is the real one; it speaks to a server on loopback that keeps packets in memory. Any thread.
 *
 * <p>A port is there as soon as it is named. A failure on demand happens once, to the next transaction, and nothing is tried
 * again unless {@code withRetry} of a port says so.
 */
public final class InMemoryNifi implements SiteToSite {
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(10);

    private final Map<String, ServedPort> ports = new ConcurrentHashMap<>();
    private final ClientView view = new ClientView();
    private final LoopbackServer server;
    private final SiteToSite client;

    /** Makes a NiFi without a port. */
    public InMemoryNifi() {
        try {
            server = new LoopbackServer(ports::get, view);
        } catch (final IOException e) {
            throw new UncheckedIOException("No port of loopback can be had", e);
        }
        client = NioSiteToSite.builder()
                .address(server.host(), server.port())
                .retry(RetryPolicy.never())
                .reconnectBackoff(SHORTEST_PAUSE, LONGEST_PAUSE)
                .observer(view)
                .build();
    }

    @Override
    public InMemoryInputPort inputPort(final String nameOrId) {
        final InputPort real = client.inputPort(nameOrId);
        return new InMemoryInputPort(served(nameOrId, ServedInput.class, ServedInput::new), server, real);
    }

    @Override
    public InMemoryOutputPort outputPort(final String nameOrId) {
        final OutputPort real = client.outputPort(nameOrId);
        return new InMemoryOutputPort(served(nameOrId, ServedOutput.class, () -> new ServedOutput(view)), server, real);
    }

    private <T extends ServedPort> T served(final String nameOrId, final Class<T> kind, final Supplier<T> made) {
        final ServedPort port = ports.computeIfAbsent(nameOrId, name -> made.get());
        if (!kind.isInstance(port)) {
            throw new IllegalArgumentException(
                    nameOrId + " is a port of the other direction: name one of the two otherwise");
        }
        return kind.cast(port);
    }

    /**
     * Looks into an input port.
     *
     * @param port its name
     * @return the packets that NiFi has, in the order in which it took them
     */
    public List<StoredPacket> received(final String port) {
        return inputPort(port).received();
    }

    /**
     * Puts packets into an output port, behind those that are there.
     *
     * @param port its name
     * @param packets are given with the next batches
     */
    public void offer(final String port, final StoredPacket... packets) {
        outputPort(port).offer(packets);
    }

    @Override
    public ClientStatistics statistics() {
        return client.statistics();
    }

    @Override
    public void close() {
        release();
        client.close();
        server.close();
    }

    @Override
    public void close(final Duration max) {
        release();
        client.close(max);
        server.close();
    }

    private void release() {
        ports.values().forEach(ServedPort::release);
    }
}
