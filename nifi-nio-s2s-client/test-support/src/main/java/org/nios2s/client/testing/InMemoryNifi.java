// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.nios2s.client.ClientStatistics;
import org.nios2s.client.SiteToSite;

/**
 * A NiFi in memory, for tests of code that uses a {@link SiteToSite}: input ports that collect, output ports that give,
 * failures on demand. No socket is opened. Any thread; what completes a future runs on the thread that caused it.
 *
 * <p>A port is there as soon as it is named. What happens on demand happens once, to the next transaction: a failure is the
 * one that the caller sees when all attempts are over, since nothing is tried again here.
 */
public final class InMemoryNifi implements SiteToSite {
    private final Map<String, InMemoryInputPort> inputs = new ConcurrentHashMap<>();
    private final Map<String, InMemoryOutputPort> outputs = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** Makes a NiFi without a port. */
    public InMemoryNifi() {
        // A port is made when it is named.
    }

    @Override
    public InMemoryInputPort inputPort(final String nameOrId) {
        return inputs.computeIfAbsent(named(nameOrId), name -> new InMemoryInputPort(name, () -> closed));
    }

    @Override
    public InMemoryOutputPort outputPort(final String nameOrId) {
        return outputs.computeIfAbsent(named(nameOrId), name -> new InMemoryOutputPort(name, () -> closed));
    }

    private static String named(final String nameOrId) {
        if (nameOrId.isBlank()) {
            throw new IllegalArgumentException("A port is known by its name or its id, and this one is blank");
        }
        return nameOrId;
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
        final int held =
                inputs.values().stream().mapToInt(InMemoryInputPort::held).sum();
        final int open =
                outputs.values().stream().mapToInt(InMemoryOutputPort::open).sum();
        return new ClientStatistics(open, 0, held, open, 0, 0);
    }

    @Override
    public void close() {
        closed = true;
        Stream.of(inputs.values(), outputs.values())
                .flatMap(Collection::stream)
                .map(InMemoryPort.class::cast)
                .forEach(InMemoryPort::closed);
    }

    @Override
    public void close(final Duration max) {
        close();
    }
}
