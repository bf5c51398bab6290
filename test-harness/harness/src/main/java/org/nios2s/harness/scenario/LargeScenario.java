// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.RunName;
import org.nios2s.harness.load.wire.LargePush;
import org.nios2s.harness.load.wire.WireTls;
import org.nios2s.harness.nifi.Jcmd;
import org.nios2s.harness.result.ServerFigures;

/**
 * Pushes large FlowFiles into a NiFi whose sink tells the digest of what it got. Runs on the command's thread.
 */
public final class LargeScenario {

    private static final String DIGESTS = "digests.txt";
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final double BYTES_PER_MEGABYTE = 1_000_000;
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final EmbeddedNifi nifi;
    private final Interruption interruption;
    private final Path digests;

    /**
     * A scenario for any number of pushes.
     *
     * @param nifi         where to
     * @param interruption ends the wait for the sink early
     */
    public LargeScenario(final EmbeddedNifi nifi, final Interruption interruption) {
        this.nifi = nifi;
        this.interruption = interruption;
        this.digests = nifi.instance().keepDigests(DIGESTS);
    }

    /**
     * What came of a push.
     *
     * @param plan               what was pushed
     * @param outcome            what the senders saw
     * @param equal              FlowFiles that arrived with the content that was sent
     * @param different          FlowFiles that arrived with another
     * @param megabytesPerSecond of acknowledged content, in millions of bytes
     * @param server             what it cost
     * @param heapAfterBytes     heap in use after it and a collection
     */
    public record Transfer(
            LargePush.Plan plan,
            LargePush.Outcome outcome,
            long equal,
            long different,
            double megabytesPerSecond,
            ServerFigures server,
            long heapAfterBytes) {

        /**
         * Whether everything was acknowledged and arrived as it was sent.
         *
         * @return false also when the wait for the sink was cut short
         */
        public boolean flawless() {
            return outcome.failures().isEmpty() && different == 0 && equal == plan.flowFiles();
        }
    }

    /**
     * Pushes FlowFiles, all at once, and waits for the sink.
     *
     * @param flowFiles how many
     * @param bytes     size of each
     * @return what came of it
     * @throws InterruptedException when the calling thread was interrupted
     */
    public Transfer push(final int flowFiles, final long bytes) throws InterruptedException {
        final LargePush.Plan plan = new LargePush.Plan(RunName.next(), flowFiles, bytes, TIMEOUT);
        final Map<String, String> expected = plan.digests();
        final Target target = nifi.target();
        final ServerSampler sampler = ServerSampler.start(target.processes());
        final LargePush.Outcome outcome = LargePush.push(plan, target.address(), WireTls.client(target.tls()));
        final Map<String, String> arrived = awaitDigests(plan, outcome.finished());
        final ServerFigures server = sampler.stop(outcome.finished());
        final long equal = expected.entrySet().stream()
                .filter(entry -> entry.getValue().equals(arrived.get(entry.getKey())))
                .count();
        return new Transfer(
                plan,
                outcome,
                equal,
                arrived.size() - equal,
                outcome.finished()
                        * bytes
                        / BYTES_PER_MEGABYTE
                        / (outcome.wall().toNanos() / NANOS_PER_SECOND),
                server,
                new Jcmd(target.process()).heapAfterCollection());
    }

    private Map<String, String> awaitDigests(final LargePush.Plan plan, final int count) throws InterruptedException {
        final long deadline = System.nanoTime() + PATIENCE.toNanos();
        Map<String, String> arrived = read(plan.run());
        while (arrived.size() < count && System.nanoTime() - deadline < 0 && !interruption.interrupted()) {
            Thread.sleep(POLL);
            arrived = read(plan.run());
        }
        return arrived;
    }

    /** Digests by packet id; a line that is still being written has no end yet and is left for later. */
    private Map<String, String> read(final String run) {
        final Map<String, String> found = new TreeMap<>();
        try {
            final String text = Files.exists(digests) ? Files.readString(digests) : "";
            text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .filter(line -> line.startsWith(run))
                    .map(line -> line.split(" "))
                    .forEach(words -> found.put(words[0], words[1]));
            return found;
        } catch (final IOException e) {
            throw new HarnessException("Cannot read the sink's digests " + digests, e);
        }
    }
}
