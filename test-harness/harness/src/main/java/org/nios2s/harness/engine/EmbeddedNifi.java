// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.net.URI;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.nifi.InstanceRecord;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.nifi.security.ClientTls;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;

/**
 * A NiFi that a scenario starts for itself with empty repositories, or one that runs already; its sink keeps packet ids
 * meanwhile. For one thread at a time.
 */
public final class EmbeddedNifi implements MeasuredNifi {

    static final String PACKET_IDS = "packet-ids.txt";
    private static final String INPUT = "input";
    private static final String SERVES = "The NIO Site-to-Site listener serves";
    private static final int KILL_SECONDS = 10;
    private static final int FEED_TASKS = 4;

    private final NifiInstance nifi;
    private final boolean owned;
    private final Target target;
    private MadeInside feed;
    private MadeInside inside;

    private EmbeddedNifi(final NifiInstance nifi, final boolean owned) {
        this.nifi = nifi;
        this.owned = owned;
        this.target = targetOf(nifi, nifi.keepPacketIds(PACKET_IDS));
    }

    /** A NiFi as a target. */
    static Target targetOf(final NifiInstance nifi, final Path packetIds) {
        final InstanceRecord instance = nifi.instance();
        final TargetAddress address = new TargetAddress(
                instance.s2sHost(), instance.s2sPort(), nifi.portId(INPUT), URI.create(instance.api()));
        final ProcessHandle process = ProcessHandle.of(instance.pid())
                .orElseThrow(() -> new HarnessException("NiFi, process " + instance.pid() + ", has ended"));
        return new Target(instance.listener(), address, process, packetIds, tls(instance.securityFiles()));
    }

    /**
     * Starts a NiFi; what an earlier one left in the same home is deleted first, so that all start alike: the NiFi,
     * which {@link #close} stops, as the end of this JVM does.
     */
    public static EmbeddedNifi start(final NifiOptions options) {
        final Set<ProcessHandle> before = ProcessHandle.current().children().collect(Collectors.toSet());
        boolean usable = false;
        try {
            final NifiInstance started = NifiInstance.start(
                    options.toBuilder().stopOnExit(true).fresh(true).build());
            checkListener(started, options.listener());
            final EmbeddedNifi embedded = new EmbeddedNifi(started, true);
            usable = true;
            return embedded;
        } finally {
            if (!usable) {
                endChildrenSince(before);
            }
        }
    }

    /** Uses the NiFi that runs in a home: the NiFi, which {@link #close} leaves running. */
    public static EmbeddedNifi attach(final Path home) {
        return new EmbeddedNifi(
                NifiInstance.attach(home)
                        .orElseThrow(() -> new HarnessException(
                                "No NiFi of this harness runs in %s: start one with 'nifi start --home %s'"
                                        .formatted(home, home))),
                false);
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public NifiInstance instance() {
        return nifi;
    }

    @Override
    public Target feed(final Shape shape) {
        if (feed == null) {
            feed = MadeInside.intoPort(nifi, FEED_TASKS, target.tls() != null);
        }
        feed.start(shape);
        final TargetAddress own = target.address();
        // What is pulled does not come by the sink, so its ledger says nothing.
        return new Target(
                target.name(),
                new TargetAddress(own.host(), own.port(), feed.destination(), own.api()),
                target.process(),
                null,
                target.tls());
    }

    /** The processor that makes transactions without a client, with so many tasks. */
    MadeInside inside(final int tasks) {
        if (inside == null) {
            inside = MadeInside.intoSink(nifi, tasks);
        }
        return inside;
    }

    @Override
    public void endFeed() {
        feed.stop();
    }

    @Override
    public void close() {
        if (owned) {
            nifi.close();
        } else {
            nifi.dropPacketIds();
        }
    }

    private static ClientTls tls(final SecurityFiles files) {
        return files == null ? null : files.tls(files.keyStore(Identity.CLIENT));
    }

    /** A NAR that cannot take the listener's place leaves the stock one: its figures must not go by the other's name. */
    static void checkListener(final NifiInstance nifi, final Listener wanted) {
        if (wanted == Listener.NIO && nifi.log().linesWith(SERVES).isEmpty()) {
            throw new HarnessException(
                    "NiFi runs with its stock listener although nio was asked for; its log %s says: %s"
                            .formatted(
                                    nifi.log().file(),
                                    String.join(
                                            System.lineSeparator(), nifi.log().linesWith(" ERROR "))));
        }
    }

    /** A start may fail at any point, also when this JVM is ending: whatever process it has begun must not outlive it. */
    private static void endChildrenSince(final Set<ProcessHandle> before) {
        ProcessHandle.current()
                .children()
                .filter(child -> !before.contains(child))
                .forEach(child -> {
                    child.destroyForcibly();
                    child.onExit()
                            .completeOnTimeout(child, KILL_SECONDS, TimeUnit.SECONDS)
                            .join();
                });
    }
}
