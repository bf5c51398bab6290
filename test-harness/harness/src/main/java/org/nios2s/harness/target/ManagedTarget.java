// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.ClientTls;
import org.nios2s.harness.load.LoadSettings.Direction;
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
import org.nios2s.harness.nifi.RemoteGroupClient;
import org.nios2s.harness.nifi.RestException;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;
import org.nios2s.harness.result.ObservedServer;

/**
 * A NiFi, or a cluster, that an experiment starts for itself with empty repositories, or one that runs already; its sink
 * keeps parcels meanwhile. For one thread at a time.
 */
public final class ManagedTarget implements MeasuredTarget {

    private static final String PARCELS = "parcels.txt";
    private static final String INPUT = "input";
    private static final int FEED_TASKS = 4;

    private final List<NifiNode> nodes;
    private final boolean owned;
    private volatile Target target;
    private ManagedTarget between;
    private Supplier<ManagedTarget> partners = () -> {
        throw new HarnessException("client group needs a NiFi that the harness starts");
    };
    private ManagedTarget partner;
    private RemoteGroup pushing;
    private final Map<Shape, RemoteGroup> pulling = new HashMap<>();
    /** By what is pulled. */
    private final Map<Shape, Feed> feeds = new HashMap<>();

    private ManagedTarget(final List<NifiNode> nodes, final boolean owned) {
        this.nodes = nodes;
        this.owned = owned;
        // The flow is the cluster's: what one node's sink is told holds for all.
        nodes.getFirst().keepParcels(PARCELS);
        final List<Target> targets = nodes.stream().map(ManagedTarget::targetOf).toList();
        final Target first = targets.getFirst();
        this.target = nodes.size() == 1
                ? first
                : first.beside(first.name() + ", " + nodes.size() + " nodes", targets.subList(1, nodes.size()));
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
     * Starts a NiFi, or a cluster; what an earlier one left in the same home is deleted first, so that all start alike.
     * {@link #close} stops it, as the end of this JVM does.
     */
    public static ManagedTarget start(final NifiOptions options, final int nodes) {
        final NifiCluster started = NifiCluster.start(options.stopOnExit(true).fresh(true), nodes);
        try {
            started.nodes().forEach(NifiNode::requireListener);
            return new ManagedTarget(started.nodes(), true);
        } catch (final RuntimeException | Error e) {
            started.close();
            throw e;
        }
    }

    /** Uses the NiFi, or the cluster, that runs in a home: {@link #close} leaves it running. */
    public static ManagedTarget attach(final Path home) {
        final List<NifiNode> running = NifiCluster.attach(home);
        if (running.isEmpty()) {
            throw new HarnessException(
                    "No NiFi of this harness runs in %s: start one with 'nifi start --home %s'".formatted(home, home));
        }
        return new ManagedTarget(running, false);
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

    /** Puts another NiFi in between, which stores what it gets and whose Remote Process Group passes it on. */
    void behind(final ManagedTarget sender, final int portTasks) {
        between = sender;
        final FlowClient flow = sender.node().flow();
        final Component port = flow.ensurePort(ComponentKind.INPUT_PORT, "to-" + target.name(), portTasks);
        final RemoteGroupClient groups = sender.node().remoteGroups();
        final String group = groups.create(node().info());
        groups.connect(port, groups.port(group, ComponentKind.INPUT_PORT, INPUT), BackPressure.generous());
        flow.start(port);
        groups.setTransmitting(group, true);
        final Target via = sender.target();
        target = new Target(
                target.name(),
                via.address().behind(port.id()),
                target.process(),
                target.parcels(),
                via.tls(),
                List.of());
    }

    /** From where another NiFi comes when one is needed, whose Remote Process Group pushes or pulls. */
    void partners(final Supplier<ManagedTarget> some) {
        partners = some;
    }

    /** The Remote Process Group of another NiFi, which is started when it is first asked for. */
    public synchronized RemoteGroup remoteGroup(final Shape shape) {
        if (shape.direction() == Direction.PUSH) {
            if (pushing == null) {
                pushing = RemoteGroup.pushing(partner().node(), group(), INPUT, target.parcelFiles());
            }
            return pushing;
        }
        return pulling.computeIfAbsent(shape.ofOneSize(), each -> {
            final Feed from = feeds.computeIfAbsent(each, this::makeFeed);
            return RemoteGroup.pulling(
                    partner().node(), group(), from, partner().target().parcelFiles());
        });
    }

    private String group() {
        return partner().node().remoteGroups().create(node().info());
    }

    private ManagedTarget partner() {
        if (partner == null) {
            partner = partners.get();
        }
        return partner;
    }

    private Feed makeFeed(final Shape shape) {
        final String port = "feed-" + (feeds.size() + 1);
        return new Feed(FlowFileSource.intoPort(node(), port, FEED_TASKS, target.tls() != null), port, shape);
    }

    /** Ends NiFi, in order or as a crash would, and starts it on the same ports; its flow and its repositories stay. */
    public void restart(final boolean inOrder) {
        final NifiNode node = node();
        if (inOrder) {
            node.stop();
        } else {
            node.kill();
        }
        node.startAgain();
        target = target.in(targetOf(node).process());
    }

    /** Stops the port to which the load goes, or starts it. */
    public void setPortRunning(final boolean running) {
        final FlowClient flow = node().flow();
        final Component port = flow.find(ComponentKind.INPUT_PORT, INPUT).orElseThrow();
        if (running) {
            flow.start(port);
        } else {
            flow.beginStop(port);
        }
    }

    @Override
    public List<ProcessHandle> helpers() {
        return Stream.of(between, partner)
                .filter(Objects::nonNull)
                .flatMap(nifi -> nifi.target().processes().stream())
                .toList();
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public ObservedServer observe() {
        final List<ObservedServer> all = nodes.stream().map(NifiNode::observe).toList();
        return all.stream()
                .filter(each -> each.contradicts(all.getFirst().listener()))
                .findFirst()
                .orElse(all.getFirst());
    }

    @Override
    public NifiNode node() {
        return nodes.size() == 1 ? nodes.getFirst() : MeasuredTarget.super.node();
    }

    @Override
    public synchronized Target startSource(final Shape shape) {
        final Feed feed = feeds.computeIfAbsent(shape.ofOneSize(), this::makeFeed);
        feed.start();
        // What is pulled does not come by the sink: its clients have a ledger of their own.
        return new Target(
                target.name(),
                target.address().behind(feed.source().destination().id()),
                target.process(),
                null,
                target.tls(),
                List.of());
    }

    @Override
    public synchronized Optional<Feed> feed(final Shape shape) {
        return Optional.ofNullable(feeds.get(shape.ofOneSize()));
    }

    @Override
    public boolean hasQueuedFlowFiles() {
        try {
            return Stream.of(this, between, partner)
                    .filter(Objects::nonNull)
                    .anyMatch(each -> each.nodes.getFirst().flow().queuedFlowFiles() > 0);
        } catch (final NoAnswerException | RestException e) {
            // A NiFi that does not answer, or a cluster that is just forming, has not said that it has no work left.
            return true;
        }
    }

    @Override
    public void close() {
        if (partner != null) {
            partner.close();
        }
        if (between != null) {
            between.close();
        }
        if (owned) {
            NifiCluster.stop(nodes);
        } else {
            nodes.getFirst().dropParcels();
        }
    }
}
