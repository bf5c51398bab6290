// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.examples;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.nios2s.client.Packet;
import org.nios2s.client.RemotePort;
import org.nios2s.client.SiteToSiteConnector;

/** Sensors that each push a reading now and then: host, TCP port, input port, sensors, readings each, pause in ms. */
public final class TenThousandSensors {
    private final SiteToSiteConnector connector;
    private final RemotePort port;
    private final long pauseMillis;
    private final LongAdder delivered = new LongAdder();
    private final LongAdder failed = new LongAdder();

    private TenThousandSensors(final SiteToSiteConnector connector, final RemotePort port, final long pauseMillis) {
        this.connector = connector;
        this.port = port;
        this.pauseMillis = pauseMillis;
    }

    public static void main(final String[] args) throws Exception {
        final RemotePort port = RemotePort.of(args[0], Integer.parseInt(args[1]), args[2]);
        final int readings = Integer.parseInt(args[4]);
        try (SiteToSiteConnector connector = new SiteToSiteConnector()) {
            final TenThousandSensors sensors = new TenThousandSensors(connector, port, Long.parseLong(args[5]));
            CompletableFuture.allOf(IntStream.range(0, Integer.parseInt(args[3]))
                            .mapToObj(sensor -> sensors.push(sensor, readings))
                            .toArray(CompletableFuture[]::new))
                    .get();
            System.out.println(sensors.delivered + " readings delivered, " + sensors.failed + " failed");
        }
    }

    /** No thread waits: neither for the pause nor for NiFi. */
    private CompletableFuture<Void> push(final int sensor, final int left) {
        if (left == 0) {
            return CompletableFuture.completedFuture(null);
        }
        final Packet reading = Packet.of(Map.of("sensor", "" + sensor), "21.5".getBytes());
        final Executor later = CompletableFuture.delayedExecutor(
                ThreadLocalRandom.current().nextLong(pauseMillis), TimeUnit.MILLISECONDS);
        return CompletableFuture.supplyAsync(() -> connector.push(port, List.of(reading)), later)
                .thenCompose(result -> result)
                .handle((result, failure) -> {
                    (failure == null ? delivered : failed).increment();
                    return null;
                })
                .thenCompose(nothing -> push(sensor, left - 1));
    }
}
