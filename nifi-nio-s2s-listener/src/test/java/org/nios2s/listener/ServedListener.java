// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.RemoteSiteListener;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.util.NiFiProperties;
import org.awaitility.core.ConditionFactory;
import org.nios2s.listener.connection.ListenerContext;
import org.nios2s.listener.connection.WorkerConnections;
import org.nios2s.listener.port.RecordingPort;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;

/** The whole listener as NiFi makes and starts it, with an input and an output port. Lives on the test's thread. */
public class ServedListener implements AutoCloseable {
    public static final String INPUT_PORT = "input";
    public static final String OUTPUT_PORT = "output";

    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(2);

    private final ProcessGroup rootGroup = mock(ProcessGroup.class);
    private final RecordingPort input = new RecordingPort(1);
    private final RecordingPort output = new RecordingPort(ConnectableType.OUTPUT_PORT, 1);
    private final List<RecordingPort> morePorts = new CopyOnWriteArrayList<>();
    private final InetSocketAddress address;
    private final RemoteSiteListener listener;

    /** Makes the listener that is served. */
    @FunctionalInterface
    protected interface Maker {
        RemoteSiteListener make(int port, NiFiProperties properties) throws Exception;
    }

    /** What the listener does again and again, on one of its threads. */
    public record Repeated(EventExecutor thread, long millis, Runnable task) {}

    /**
     * The time of a listener, which passes when its test says so. Thread-safe.
     *
     * @param repeated what the listener would do by itself as time passes
     */
    public record SteppedTime(NanoClock clock, List<Repeated> repeated) {
        public SteppedTime(final NanoClock clock) {
            this(clock, new CopyOnWriteArrayList<>());
        }

        private void repeat(final EventExecutor thread, final long millis, final Runnable task) {
            repeated.add(new Repeated(thread, millis, task));
        }
    }

    /** @param settings keys, those of the listener without {@code nifi.remote.input.nio.}, and values, in turn */
    protected ServedListener(final Maker maker, final boolean isSecure, final String... settings) throws Exception {
        when(rootGroup.isRootGroup()).thenReturn(true);
        serve(ConnectableType.INPUT_PORT, INPUT_PORT, input);
        serve(ConnectableType.OUTPUT_PORT, OUTPUT_PORT, output);
        int port = freePort();
        RemoteSiteListener started = start(maker, port, isSecure, settings);
        while (!isServing(started)) {
            // Another process has taken the port meanwhile.
            started.stop();
            port = freePort();
            started = start(maker, port, isSecure, settings);
        }
        listener = started;
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private RemoteSiteListener start(
            final Maker maker, final int port, final boolean isSecure, final String... settings) throws Exception {
        final RemoteSiteListener made = maker.make(port, properties(port, isSecure, settings));
        made.setRootGroup(rootGroup);
        made.start();
        return made;
    }

    private static boolean isServing(final RemoteSiteListener started) {
        // One of another class loader can't be asked.
        if (!(started instanceof final NioRemoteSiteListener ours)) {
            return true;
        }
        return Objects.requireNonNull(ours.running(), "The listener has not started: its log says why")
                        .serverChannel()
                != null;
    }

    /**
     * @param tls NiFi's own, or null for plain TCP
     * @param nodeInformant the cluster, or null for a standalone NiFi
     * @param peersKeyLimitBytes after which the Java of peers is taken to renew a key
     */
    protected static Maker stepped(
            final SteppedTime time,
            final SSLContext tls,
            final NodeInformant nodeInformant,
            final Function<InetAddress, String> resolver,
            final long peersKeyLimitBytes) {
        return (port, properties) -> {
            // Of a listener that did not get its port.
            time.repeated.clear();
            return new NioRemoteSiteListener(
                    port,
                    tls,
                    properties,
                    nodeInformant,
                    ListenerSettings.from(properties),
                    new NioRemoteSiteListener.Environment(time.clock, time::repeat, resolver, peersKeyLimitBytes));
        };
    }

    private static NiFiProperties properties(final int port, final boolean isSecure, final String... settings) {
        final Map<String, String> properties = new HashMap<>(Map.of(
                NiFiProperties.REMOTE_INPUT_HOST, "nifi.example",
                NiFiProperties.REMOTE_INPUT_PORT, String.valueOf(port),
                NiFiProperties.SITE_TO_SITE_SECURE, String.valueOf(isSecure)));
        for (int i = 0; i < settings.length; i += 2) {
            final String key = settings[i];
            properties.put(key.startsWith("nifi.") ? key : "nifi.remote.input.nio." + key, settings[i + 1]);
        }
        return new NiFiProperties(properties);
    }

    /** @return a port that was free a moment ago */
    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private void serve(final ConnectableType type, final String id, final RecordingPort recording) {
        final PublicPort port = recording.port();
        if (type == ConnectableType.INPUT_PORT) {
            when(rootGroup.findInputPort(id)).thenReturn(port);
        } else {
            when(rootGroup.findOutputPort(id)).thenReturn(port);
        }
    }

    /** Looks often, for a short test, and long, for a slow machine. */
    public static ConditionFactory awaiting() {
        return await().pollDelay(Duration.ZERO).pollInterval(POLL_INTERVAL).atMost(DEADLINE);
    }

    /** @return bytes of the listener's allocator that are in use */
    public static long pinnedBytes() {
        return PooledByteBufAllocator.DEFAULT.pinnedDirectMemory() + PooledByteBufAllocator.DEFAULT.pinnedHeapMemory();
    }

    public InetSocketAddress address() {
        return address;
    }

    public RecordingPort input() {
        return input;
    }

    public RecordingPort output() {
        return output;
    }

    /** @return another port */
    public RecordingPort addPort(final ConnectableType type, final String id) {
        final RecordingPort added = new RecordingPort(type, 1);
        serve(type, id, added);
        morePorts.add(added);
        return added;
    }

    public ProcessGroup rootGroup() {
        return rootGroup;
    }

    private NioRemoteSiteListener.RunningServer running() {
        return ((NioRemoteSiteListener) listener).running();
    }

    public ListenerContext context() {
        return running().context();
    }

    protected Channel serverChannel() {
        return running().serverChannel();
    }

    /** @return the connections of the only IO worker */
    protected WorkerConnections onlyConnections() {
        return running().connections().values().iterator().next();
    }

    /** @return what reads contents */
    public ExecutorService contentReaders() {
        return running().threads().contentReaders();
    }

    /** @return what asks NiFi for its nodes */
    protected ThreadPoolExecutor peerLists() {
        return (ThreadPoolExecutor) running().threads().peerLists();
    }

    /** Has every port do its work, however the test has left it. */
    protected void releasePorts() {
        for (final RecordingPort port : List.of(input, output)) {
            port.scheduled(true);
            port.running(true);
        }
        morePorts.forEach(more -> {
            more.full(false);
            more.scheduled(true);
        });
    }

    /** Stops the listener as NiFi does, under peers that are still connected. */
    public void stop() {
        listener.stop();
    }

    @Override
    public void close() {
        stop();
        input.close();
        output.close();
        morePorts.forEach(RecordingPort::close);
    }
}
