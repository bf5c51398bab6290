// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.ClientTls;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiNodeInfo;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.nifi.NoAnswerException;
import org.nios2s.harness.nifi.RestException;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;
import org.nios2s.harness.result.ObservedServer;

/**
 * A NiFi that an experiment starts for itself with empty repositories, or one that runs already; its sink
 * keeps parcels meanwhile. For one thread at a time.
 */
public final class ManagedTarget implements MeasuredTarget {

    private static final String PARCELS = "parcels.txt";
    private static final String INPUT = "input";
    private static final int FEED_TASKS = 4;

    private final NifiNode node;
    private final boolean owned;
    private Target target;
    /** By what is pulled. */
    private final Map<Shape, Feed> feeds = new HashMap<>();

    private ManagedTarget(final NifiNode node, final boolean owned) {
        this.node = node;
        this.owned = owned;
        node.keepParcels(PARCELS);
        this.target = targetOf(node);
    }

    private static Target targetOf(final NifiNode nifi) {
        final NifiNodeInfo instance = nifi.info();
        final TargetAddress address = new TargetAddress(
                instance.s2sHost(), instance.s2sPort(), nifi.portId(INPUT), URI.create(instance.api()));
        final SecurityFiles files = instance.securityFiles();
        final ProcessHandle process = ProcessHandle.of(instance.pid())
                .orElseThrow(() -> new HarnessException("NiFi, process " + instance.pid() + ", has ended"));
        final Path parcels = Path.of(instance.files().ledger(), PARCELS);
        final ClientTls tls = files == null ? null : files.tls(files.keyStore(Identity.CLIENT));
        return new Target(instance.listener(), address, process, parcels, tls, List.of());
    }

    /**
     * Starts a NiFi; what an earlier one left in the same home is deleted first, so that all start alike.
     * {@link #close} stops it, as the end of this JVM does.
     */
    public static ManagedTarget start(final NifiOptions options) {
        final NifiNode started = NifiNode.start(options.stopOnExit(true).fresh(true));
        try {
            started.requireListener();
            return new ManagedTarget(started, true);
        } catch (final RuntimeException | Error e) {
            started.stop();
            throw e;
        }
    }

    /** Uses the NiFi that runs in a home: {@link #close} leaves it running. */
    public static ManagedTarget attach(final Path home) {
        final List<NifiNode> running = NifiCluster.attach(home);
        if (running.isEmpty()) {
            throw new HarnessException(
                    "No NiFi of this harness runs in %s: start one with 'nifi start --home %s'".formatted(home, home));
        }
        if (running.size() > 1) {
            throw new HarnessException("In %s runs a cluster: measure it as '--url %s', which asks for all of its nodes"
                    .formatted(home, running.getFirst().info().api()));
        }
        return new ManagedTarget(running.getFirst(), false);
    }

    /** Spreads the clients over so many ports, beside which a processor counts how often it gets a thread. */
    void spreadOver(final int ports, final int tasks) {
        final FlowClient flow = node().flow();
        final Component sink = flow.find(ComponentKind.PROCESSOR, "sink").orElseThrow();
        final List<TargetAddress> further = new ArrayList<>();
        for (int number = 2; number <= ports; number++) {
            final Component port = flow.ensurePort(ComponentKind.INPUT_PORT, "busy-" + number, tasks);
            flow.connect(port, sink, BackPressure.generous());
            flow.start(port);
            further.add(target.address().behind(port.id()));
        }
        flow.start(flow.createProcessor("trigger-counter", "org.nios2s.harness.sink.TriggerCounter"));
        target = target.and(further);
    }

    private Feed makeFeed(final Shape shape) {
        final String port = "feed-" + (feeds.size() + 1);
        final boolean secure = target.tls() != null;
        return new Feed(FlowFileSource.intoPort(node(), port, FEED_TASKS, Feed.MAX_QUEUED_BYTES, secure), shape);
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public ObservedServer observe() {
        return node.observe();
    }

    @Override
    public NifiNode node() {
        return node;
    }

    @Override
    public Target startSource(final Shape shape) {
        final Feed feed = feeds.computeIfAbsent(shape.ofOneSize(), this::makeFeed);
        feed.start();
        // Pulled packets do not come by the sink: their clients have a ledger of their own.
        return new Target(
                target.name(),
                target.address().behind(feed.source().destination().id()),
                target.process(),
                null,
                target.tls(),
                List.of());
    }

    @Override
    public Optional<Feed> feed(final Shape shape) {
        return Optional.ofNullable(feeds.get(shape.ofOneSize()));
    }

    @Override
    public boolean hasQueuedFlowFiles() {
        try {
            return node.flow().queuedFlowFiles() > 0;
        } catch (final NoAnswerException | RestException e) {
            // A NiFi that does not answer has not said that it has no work left.
            return true;
        }
    }

    @Override
    public void close() {
        if (owned) {
            node.stop();
        } else {
            node.dropParcels();
        }
    }
}
