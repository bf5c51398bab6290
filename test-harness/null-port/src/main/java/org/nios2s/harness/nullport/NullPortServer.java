// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nullport;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.nifi.remote.RemoteSiteListener;
import org.apache.nifi.remote.SocketRemoteSiteListener;
import org.apache.nifi.util.NiFiProperties;
import org.nios2s.listener.NioRemoteSiteListener;
import org.nios2s.listener.settings.ListenerSettings;

/**
 * The process: a listener in front of a {@link NullPort}, until its standard input ends, at the latest with the
 * process that started it. Its main thread only waits.
 *
 * <p>It measures what a listener costs by itself. It is no part of the NAR, and nothing in NiFi can lead to it.
 */
public final class NullPortServer {

    private static final String HOST = "127.0.0.1";
    private static final int SETTINGS_FROM = 3;
    private static final long BIND_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PROBE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private NullPortServer() {}

    /**
     * Serves.
     *
     * @param arguments {@code nio} or {@code stock}, the TCP port, the port's concurrent tasks, then any lines of
     *                  nifi.properties as {@code key=value}
     * @throws IOException when standard input can't be read
     */
    public static void main(final String[] arguments) throws IOException {
        final int tcpPort = Integer.parseInt(arguments[1]);
        final NullPort port = new NullPort(Integer.parseInt(arguments[2]));
        final NiFiProperties properties =
                properties(tcpPort, Arrays.copyOfRange(arguments, SETTINGS_FROM, arguments.length));
        final RemoteSiteListener listener = "nio".equals(arguments[0])
                ? new NioRemoteSiteListener(tcpPort, null, properties, null, ListenerSettings.from(properties))
                : new SocketRemoteSiteListener(tcpPort, null, properties, null);
        listener.setRootGroup(port.rootGroup());
        listener.start();
        awaitAccepting(tcpPort);
        System.out.println("started");
        while (System.in.read() >= 0) {
            // Nothing is said to this process: it waits for the end.
            continue;
        }
        listener.stop();
        System.exit(0);
    }

    /** The stock listener binds its socket on a thread of its own, after it was started. */
    private static void awaitAccepting(final int tcpPort) throws IOException {
        final long deadlineNanos = System.nanoTime() + BIND_NANOS;
        while (true) {
            try {
                new Socket(HOST, tcpPort).close();
                return;
            } catch (final ConnectException e) {
                if (System.nanoTime() - deadlineNanos > 0) {
                    throw e;
                }
                LockSupport.parkNanos(PROBE_NANOS);
            }
        }
    }

    private static NiFiProperties properties(final int tcpPort, final String[] settings) {
        final Map<String, String> properties = new HashMap<>(Map.of(
                NiFiProperties.REMOTE_INPUT_HOST,
                HOST,
                NiFiProperties.REMOTE_INPUT_PORT,
                Integer.toString(tcpPort),
                NiFiProperties.SITE_TO_SITE_SECURE,
                "false"));
        for (final String setting : settings) {
            final int equals = setting.indexOf('=');
            properties.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return new NiFiProperties(properties);
    }
}
