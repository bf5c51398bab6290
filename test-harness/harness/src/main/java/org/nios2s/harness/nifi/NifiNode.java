// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.nifi.NifiNodeInfo.NodeFiles;
import org.nios2s.harness.nifi.NifiNodeInfo.NodeSecurity;
import org.nios2s.harness.nifi.security.AccessPolicies;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;
import org.nios2s.harness.result.ObservedServer;
import org.nios2s.harness.sink.Parcel;

/**
 * A running NiFi with the harness's flow in it: standalone, or one node of a {@link NifiCluster}.
 * For one thread at a time; starting and stopping block it for seconds.
 */
public final class NifiNode implements AutoCloseable {

    /** It starts within half a minute; on two processors that four other NiFis share it took more than three minutes. */
    private static final Duration START_PATIENCE = Duration.ofMinutes(6);

    private static final String SERVES = "The NIO Site-to-Site listener serves ";
    private static final Duration JOIN_PATIENCE = Duration.ofSeconds(180);

    private final NifiHome home;
    private final NifiOptions options;
    private final SecurityFiles security;
    private final ClusterMembership cluster;
    private final ExitGuard guard = new ExitGuard();
    private final Map<String, String> ownProperties = new LinkedHashMap<>();
    private NifiProcess process;
    private NifiNodeInfo instance;
    private RestClient rest;
    private ObservedServer observed;
    private long observedProcess;

    NifiNode(
            final NifiHome home,
            final NifiOptions options,
            final SecurityFiles security,
            final ClusterMembership cluster) {
        this.home = home;
        this.options = options;
        this.security = security;
        this.cluster = cluster;
    }

    /** Starts a standalone NiFi and waits until its flow runs. */
    public static NifiNode start(final NifiOptions options) {
        return NifiCluster.start(options, 1).nodes().getFirst();
    }

    /** The NiFi that runs in a home, started by whomever. */
    public static Optional<NifiNode> attach(final Path directory) {
        final NifiHome home = new NifiHome(directory);
        return NifiNodeInfo.read(home.directory())
                .flatMap(found -> found.process().map(running -> {
                    final NifiNode attached = new NifiNode(home, null, found.securityFiles(), null);
                    attached.process = new NifiProcess(running, 0, new NifiLog(home.logs(), 0));
                    attached.instance = found;
                    attached.rest = attached.connect();
                    return attached;
                }));
    }

    public NifiNodeInfo info() {
        return instance;
    }

    /** The id of a root group's port of the harness's flow. */
    public String portId(final String name) {
        return Optional.ofNullable(instance.ports().get(name))
                .orElseThrow(() -> new HarnessException("The flow has no port " + name + " but " + instance.ports()));
    }

    /** NiFi's REST API; on a secured NiFi with the administrator's key. */
    public RestClient rest() {
        return rest;
    }

    public FlowClient flow() {
        return new FlowClient(rest);
    }

    /** The key stores of a secured NiFi. */
    public SecurityFiles security() {
        if (security == null) {
            throw new HarnessException("The NiFi in " + home.directory() + " is not secured");
        }
        return security;
    }

    public AccessPolicies policies() {
        security();
        return new AccessPolicies(rest);
    }

    public SinkLedger ledger() {
        return SinkLedger.read(home.ledger());
    }

    /** Makes the sink append the packet id of whatever it drops from now on to a file: the file, one id per line. */
    public Path keepPacketIds(final String fileName) {
        return keep(HarnessFlow.PACKET_ID_FILE, fileName);
    }

    /** Makes the sink look into whatever it drops from now on: the file, one {@link Parcel} per line. */
    public Path keepParcels(final String fileName) {
        return keep(HarnessFlow.PARCEL_FILE, fileName);
    }

    private Path keep(final String property, final String fileName) {
        new HarnessFlow(flow()).keep(property, fileName);
        return home.ledger().resolve(fileName);
    }

    /** Makes the sink look into nothing from now on. */
    public void dropParcels() {
        new HarnessFlow(flow()).keep(HarnessFlow.PARCEL_FILE, null);
    }

    /** Makes the sink keep no packet ids from now on. */
    public void dropPacketIds() {
        new HarnessFlow(flow()).keep(HarnessFlow.PACKET_ID_FILE, null);
    }

    /**
     * The attributes of our listener's JMX beans by name; nothing where there is no such bean.
     *
     * @param bean what its name contains: {@code SiteToSiteListener}, or the id of a port
     */
    public Map<String, Double> metrics(final String bean) {
        final Map<String, Double> metrics = new TreeMap<>();
        RestClient.stream(rest.get("/system-diagnostics/jmx-metrics?beanNameFilter=" + bean)
                        .required("jmxMetricsResults"))
                .forEach(metric -> metrics.put(
                        metric.required("attributeName").asText(),
                        metric.required("attributeValue").asDouble()));
        return metrics;
    }

    /** This NiFi, and the listener that serves in it at this moment. */
    public ObservedServer observe() {
        final ProcessHandle handle = process.handle();
        final String listener = ServerThreads.listener(handle);
        if (observed == null || observedProcess != handle.pid()) {
            observed = describeServer(handle);
            observedProcess = handle.pid();
        }
        return observed.with(listener);
    }

    private ObservedServer describeServer(final ProcessHandle handle) {
        final String dump = new Jcmd(handle).ask("Thread.print");
        final JsonNode versions =
                rest.get("/system-diagnostics").at("/systemDiagnostics/aggregateSnapshot/versionInfo");
        final String socket = log().linesWith(SERVES).stream()
                .map(line -> line.substring(line.indexOf(SERVES) + SERVES.length()))
                .map(line -> line.replaceFirst(" on port .*", ""))
                .reduce((earlier, later) -> later)
                .orElse(null);
        return new ObservedServer(
                null,
                ServerThreads.transport(dump),
                socket,
                ServerThreads.scheduling(dump),
                versions.path("niFiVersion").asText(null),
                versions.path("javaVersion").asText(null),
                home.listenerDigest());
    }

    /** A NAR that cannot take the listener's place leaves the stock one: its metrics must not go by the other's name. */
    public void requireListener() {
        final String serving = ServerThreads.listener(process.handle());
        if (ObservedServer.of(serving).contradicts(instance.listener())) {
            throw new HarnessException(
                    "NiFi was started with the listener '%s', and '%s' serves, as its threads show; its log %s has: %s"
                            .formatted(
                                    instance.listener(),
                                    serving,
                                    log().file(),
                                    String.join(System.lineSeparator(), log().linesWith("NIO Site-to-Site"))));
        }
    }

    public NifiLog log() {
        return process.log();
    }

    public ProcessUsage usage() {
        return ProcessUsage.of(process.handle());
    }

    public boolean isAlive() {
        return Liveness.isAlive(process.handle());
    }

    /** Starts NiFi again as {@link #startAgain()} does, with properties of its own that it keeps. */
    public void startAgain(final Map<String, String> properties) {
        ownProperties.putAll(properties);
        startAgain();
    }

    /** Starts NiFi again on the same ports after {@link #stop} or {@link #kill}. */
    public void startAgain() {
        if (options == null) {
            throw new HarnessException(
                    "The NiFi in " + home.directory() + " was started by another process of the harness");
        }
        final Map<String, String> ports = instance.ports();
        launch(URI.create(instance.api()).getPort(), instance.s2sPort());
        orKill(() -> {
            awaitUp();
            awaitConnected();
            setPorts(cluster == null ? ensureFlow() : ports);
        });
    }

    /** Stops NiFi as an administrator would; does nothing when it does not run. */
    public void stop() {
        try {
            // One that does not serve any more has no leaks to tell.
            if (options != null && options.listener == Listener.NIO && instance != null && isAlive()) {
                LeakDetection.failOnLeaks(process.handle(), instance, log());
            }
        } finally {
            end(NifiProcess::stop);
        }
    }

    /** Ends NiFi's process as a crash would. */
    public void kill() {
        end(NifiProcess::kill);
    }

    @Override
    public void close() {
        stop();
    }

    /** Starts the process in a home that nobody uses; it runs, but is not up yet, when this returns. */
    void launch(final int httpPort, final int s2sPort) {
        final int settledHttpPort = FreePorts.settle(httpPort, "REST API");
        final int settledS2sPort = FreePorts.settle(s2sPort, "RAW Site-to-Site");
        home.exclusively(() -> {
            home.failIfInUse();
            options.installation().install(home, options.listener);
            final NifiConfiguration configuration =
                    NifiConfiguration.of(options, settledHttpPort, settledS2sPort, security, cluster);
            configuration.properties().putAll(ownProperties);
            configuration.write(home.conf());
            process = guard.launch(() -> NifiProcess.launch(home, options));
            orKill(() -> describe(configuration));
        });
    }

    /** Waits until the REST API and the RAW port are there. */
    void awaitUp() {
        process.awaitReady(START_PATIENCE, instance.s2sPort());
        rest = connect();
    }

    /** Waits until all nodes of this one's cluster, if it is in any, are connected. */
    void awaitConnected() {
        if (cluster == null) {
            return;
        }
        Deadline.after(JOIN_PATIENCE).until(() -> cluster.nodes() + " nodes are connected in the cluster", () -> {
            try {
                return flow().connectedNodes() == cluster.nodes();
            } catch (final RestException e) {
                return false;
            }
        });
    }

    /** Makes the flow, and the permissions for it, as far as they are missing; returns the ports' ids by name. */
    Map<String, String> ensureFlow() {
        if (security != null) {
            policies().grantFlow(flow().rootGroup());
        }
        final Map<String, Component> ports = new HarnessFlow(flow()).ensure(options.portTasks);
        if (security != null) {
            policies().grantPorts(ports.values());
        }
        final Map<String, String> ids = new LinkedHashMap<>();
        ports.forEach((name, port) -> ids.put(name, port.id()));
        return ids;
    }

    /** Tells the home that everything is there; NiFi outlives this JVM from now on unless it is to stop with it. */
    void setPorts(final Map<String, String> ports) {
        instance = instance.withPorts(ports);
        instance.write();
        if (!options.stopOnExit) {
            guard.release();
        }
    }

    /** Does a step of the start; if it fails, nothing is left running. */
    void orKill(final Runnable step) {
        try {
            step.run();
        } catch (final RuntimeException | Error e) {
            kill();
            throw e;
        }
    }

    private RestClient connect() {
        return new RestClient(
                instance.api(), security == null ? null : security.context(security.keyStore(Identity.ADMIN)));
    }

    private void end(final Consumer<NifiProcess> how) {
        if (rest != null) {
            rest.close();
        }
        if (process != null && isAlive()) {
            how.accept(process);
        }
        if (instance != null) {
            instance.delete();
        }
        guard.release();
    }

    private void describe(final NifiConfiguration configuration) {
        final Integer s2sPort = configuration.s2sPort();
        instance = new NifiNodeInfo(
                process.handle().pid(),
                process.handle().info().startInstant().orElse(Instant.now()).toString(),
                configuration.api(),
                configuration.get("nifi.remote.input.host"),
                s2sPort == null ? 0 : s2sPort,
                options.listener.name().toLowerCase(Locale.ROOT),
                options.installation().version(),
                new NodeFiles(
                        home.directory().toString(),
                        home.logs().toString(),
                        home.ledger().toString()),
                Map.of(),
                security == null ? null : NodeSecurity.of(security));
        instance.write();
    }
}
