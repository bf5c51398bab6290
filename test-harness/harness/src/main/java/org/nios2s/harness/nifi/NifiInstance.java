/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.harness.nifi;

import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.nios2s.harness.HarnessException;

/**
 * A running NiFi with the harness's flow in it.
 * For one thread at a time; starting and stopping block it for seconds.
 */
public final class NifiInstance implements AutoCloseable {

    private final NifiHome home;
    private final NifiOptions options;
    private NifiProcess process;
    private InstanceRecord instance;
    private RestClient rest;
    private Thread stopOnExit;

    private NifiInstance(final NifiHome home, final NifiOptions options) {
        this.home = home;
        this.options = options;
    }

    /**
     * Starts a NiFi and waits until its flow runs.
     *
     * @throws HarnessException when a port or the home is in use or NiFi does not start; nothing is left running then
     */
    public static NifiInstance start(final NifiOptions options) {
        final NifiHome home = new NifiHome(options.home());
        home.prepare();
        final NifiInstance started = new NifiInstance(home, options);
        started.start(
                FreePorts.settle(options.httpPort(), "REST API"),
                FreePorts.settle(options.s2sPort(), "RAW Site-to-Site"));
        return started;
    }

    /** The NiFi that runs in a home, started by whomever. */
    public static Optional<NifiInstance> attach(final Path directory) {
        final NifiHome home = new NifiHome(directory);
        return InstanceRecord.read(home.directory())
                .flatMap(found -> found.process().map(running -> {
                    final NifiInstance attached = new NifiInstance(home, null);
                    attached.process = NifiProcess.running(running, home);
                    attached.instance = found;
                    attached.rest = new RestClient(found.api(), null);
                    return attached;
                }));
    }

    /** What is known about this NiFi. */
    public InstanceRecord instance() {
        return instance;
    }

    /** The id of a root group's port of the harness's flow. */
    public String portId(final String name) {
        return Optional.ofNullable(instance.ports().get(name))
                .orElseThrow(() -> new HarnessException("The flow has no port " + name + " but " + instance.ports()));
    }

    /** NiFi's REST API. */
    public RestClient rest() {
        return rest;
    }

    /** The flow. */
    public FlowClient flow() {
        return new FlowClient(rest);
    }

    /** Queues and what is in them. */
    public QueueClient queues() {
        return new QueueClient(rest);
    }

    /** Provenance. */
    public ProvenanceClient provenance() {
        return new ProvenanceClient(rest);
    }

    /** What the sink dropped so far. */
    public SinkLedger ledger() {
        return SinkLedger.read(home.ledger());
    }

    /**
     * Makes the sink append the packet id of whatever it drops from now on to a file.
     *
     * @param fileName name of the file in the ledger's directory
     * @return the file, one id per line
     */
    public Path keepPacketIds(final String fileName) {
        new HarnessFlow(flow()).keepPacketIds(fileName);
        return home.ledger().resolve(fileName);
    }

    /** Makes the sink keep no packet ids from now on. */
    public void dropPacketIds() {
        new HarnessFlow(flow()).keepPacketIds(null);
    }

    /** What NiFi logged since its last start. */
    public NifiLog log() {
        return process.log();
    }

    /** What NiFi's process has used so far. */
    public ProcessUsage usage() {
        return ProcessUsage.of(process.handle());
    }

    /** Whether NiFi's process runs. */
    public boolean isAlive() {
        return process.handle().isAlive();
    }

    /** Stops NiFi as an administrator would, and starts it again on the same ports. */
    public void restart() {
        stop();
        startAgain();
    }

    /** Starts NiFi again on the same ports after {@link #stop} or {@link #kill}. */
    public void startAgain() {
        if (options == null) {
            throw new HarnessException(
                    "The NiFi in " + home.directory() + " was started by another process of the harness");
        }
        final int httpPort = URI.create(instance.api()).getPort();
        start(FreePorts.settle(httpPort, "REST API"), FreePorts.settle(instance.s2sPort(), "RAW Site-to-Site"));
    }

    /** Stops NiFi as an administrator would; does nothing when it does not run. */
    public void stop() {
        end(process::stop);
    }

    /** Ends NiFi's process as a crash would. */
    public void kill() {
        end(process::kill);
    }

    @Override
    public void close() {
        stop();
    }

    private void end(final Runnable how) {
        rest.close();
        if (process.handle().isAlive()) {
            how.run();
        }
        instance.delete();
        forgetStopOnExit();
    }

    private void start(final int httpPort, final int s2sPort) {
        final NifiDistribution distribution = NifiDistribution.locate();
        home.exclusively(() -> {
            failIfInUse();
            distribution.install(home.lib(), options.listener());
            final NifiConfiguration configuration = NifiConfiguration.of(options, httpPort, s2sPort);
            configuration.write(home.conf());
            process = NifiProcess.launch(home, options);
            stopOnExit =
                    new Thread(process::stop, "stop-nifi-" + process.handle().pid());
            Runtime.getRuntime().addShutdownHook(stopOnExit);
            awaitFlow(configuration);
        });
    }

    /** Waits until NiFi takes data; whatever goes wrong, nothing is left running. */
    private void awaitFlow(final NifiConfiguration configuration) {
        boolean ready = false;
        try {
            describe(configuration, Map.of());
            process.awaitReady(options.startTimeout(), configuration.s2sPort());
            rest = new RestClient(instance.api(), null);
            describe(configuration, new HarnessFlow(flow()).ensure(options.portTasks(), home.ledger()));
            ready = true;
        } finally {
            if (!ready) {
                process.kill();
                instance.delete();
            }
            if (!ready || !options.stopOnExit()) {
                forgetStopOnExit();
            }
        }
    }

    private void failIfInUse() {
        InstanceRecord.read(home.directory()).ifPresent(found -> found.process().ifPresent(running -> {
            throw new HarnessException(
                    "A NiFi, process %d, runs in %s: stop it with 'nifi stop --home %s' or choose another --home"
                            .formatted(running.pid(), home.directory(), home.directory()));
        }));
    }

    private void describe(final NifiConfiguration configuration, final Map<String, String> ports) {
        final Integer s2sPort = configuration.s2sPort();
        instance = new InstanceRecord(
                process.handle().pid(),
                process.handle().info().startInstant().orElse(Instant.now()).toString(),
                configuration.api(),
                configuration.get("nifi.remote.input.host"),
                s2sPort == null ? 0 : s2sPort,
                options.listener().name().toLowerCase(Locale.ROOT),
                home.directory().toString(),
                home.logs().toString(),
                home.ledger().toString(),
                ports);
        instance.write();
    }

    private void forgetStopOnExit() {
        if (stopOnExit == null) {
            return;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(stopOnExit);
        } catch (final IllegalStateException e) {
            // This JVM is exiting, and the hook does its work.
        }
        stopOnExit = null;
    }
}
