// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.examples;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.nios2s.client.InputPort;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.Packet;
import org.nios2s.client.SiteToSite;

/** Sensors that each push a reading now and then: host, TCP port, input port, sensors, readings each, pause in ms. */
public final class TenThousandSensors {
    private final InputPort port;
    private final long pauseMillis;
    private final LongAdder delivered = new LongAdder();
    private final LongAdder failed = new LongAdder();

    private TenThousandSensors(final InputPort port, final long pauseMillis) {
        this.port = port;
        this.pauseMillis = pauseMillis;
    }

    public static void main(final String[] args) throws Exception {
        final int readings = Integer.parseInt(args[4]);
        try (SiteToSite nifi = NioSiteToSite.builder()
                .address(args[0], Integer.parseInt(args[1]))
                .build()) {
            final TenThousandSensors sensors = new TenThousandSensors(nifi.inputPort(args[2]), Long.parseLong(args[5]));
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
        return CompletableFuture.supplyAsync(() -> port.send(reading), later)
                .thenCompose(result -> result)
                .handle((result, failure) -> {
                    (failure == null ? delivered : failed).increment();
                    return null;
                })
                .thenCompose(nothing -> push(sensor, left - 1));
    }
}
