// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.scenario;

import java.time.Duration;
import org.nios2s.harness.load.wire.PeerCrowd;
import org.nios2s.harness.load.wire.PeerCrowd.Attendance;
import org.nios2s.harness.load.wire.PeerCrowd.Habit;
import org.nios2s.harness.load.wire.PeerCrowd.Plan;
import org.nios2s.harness.load.wire.WireTls;
import org.nios2s.harness.nifi.Jcmd;
import org.nios2s.harness.nifi.ProcessUsage;

/**
 * Connects many peers to a NiFi at once, leaves them idle, and measures what they cost it. Runs on the command's thread.
 *
 * <p>NiFi has to run with a heap that is in RAM from the start: then what is added in RAM lies outside of the heap.
 */
public final class IdleConnectionsScenario {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /**
     * What a NiFi takes.
     *
     * @param heapBytes     heap in use after a collection
     * @param residentBytes memory in RAM
     * @param threads       threads
     */
    public record Footprint(long heapBytes, long residentBytes, int threads) {

        /**
         * What a process takes now.
         *
         * @param process a JVM
         * @return after a full collection
         */
        public static Footprint of(final ProcessHandle process) {
            final long heap = new Jcmd(process).heapAfterCollection();
            final ProcessUsage usage = ProcessUsage.of(process);
            return new Footprint(heap, usage.residentBytes(), usage.threads());
        }
    }

    /**
     * What connections cost.
     *
     * @param attendance who got a connection, how fast, and who lost it
     * @param before     without them
     * @param with       with them
     */
    public record Idle(Attendance attendance, Footprint before, Footprint with) {

        /**
         * Heap of each connection.
         *
         * @return bytes
         */
        public double heapBytes() {
            return (with.heapBytes() - before.heapBytes()) / (double) attendance.present();
        }

        /**
         * Memory of each connection outside of the heap.
         *
         * @return bytes
         */
        public double nativeBytes() {
            return (with.residentBytes() - before.residentBytes()) / (double) attendance.present();
        }

        /**
         * Threads of all connections.
         *
         * @return their number
         */
        public int threads() {
            return with.threads() - before.threads();
        }
    }

    /**
     * Connects, measures, and sends the peers home.
     *
     * @param target      where to
     * @param connections how many
     * @param perSecond   how many of them connect in each second
     * @return what was measured
     * @throws InterruptedException when the calling thread was interrupted
     */
    public Idle run(final Target target, final int connections, final int perSecond) throws InterruptedException {
        final Footprint before = Footprint.of(target.process());
        final Plan plan = new Plan(connections, perSecond, Habit.IDLE, TIMEOUT);
        try (PeerCrowd crowd = PeerCrowd.gather(plan, target.address(), WireTls.client(target.tls()))) {
            crowd.awaitGathered(PATIENCE);
            final Footprint with = Footprint.of(target.process());
            return new Idle(crowd.attendance(), before, with);
        }
    }
}
