// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a NiFi of the harness is to be started; all but its home has a default.
 * For one thread, which changes nothing after the start.
 */
public final class NifiOptions {

    /** Where the home of a NiFi is when nothing else is said, relative to the project. */
    public static final String DEFAULT_HOME = ".s2s-harness/nifi";

    /** System property with KEY=VALUE, for {@code nifi.properties} of each NiFi that is told nothing else about that key. */
    static final String PROPERTY = "nifi.property";

    /** A port number that stands for any free port. */
    public static final int ANY_PORT = 0;

    Path home;
    private NifiInstallation installation;
    Listener listener = Listener.NIO;
    int httpPort = ANY_PORT;
    int s2sPort = ANY_PORT;
    String heap = "2g";
    int portTasks = 4;
    int processors = Processors.ALL;
    boolean stopOnExit;
    boolean secure;
    boolean fresh;
    final Map<String, String> properties = new LinkedHashMap<>();
    final List<String> jvmArguments = new ArrayList<>();
    final Map<String, String> environment = new LinkedHashMap<>();

    public NifiOptions() {
        final String[] property = System.getProperty(PROPERTY, "").split("=", 2);
        if (property.length > 1) {
            property(property[0], property[1]);
        }
    }

    /** The directory that holds everything of this NiFi: configuration, repositories, logs, ledger. */
    public NifiOptions home(final Path value) {
        home = value.toAbsolutePath().normalize();
        return this;
    }

    NifiInstallation installation() {
        return installation == null ? NifiInstallation.usual() : installation;
    }

    /** The NiFi that is started there, {@link NifiInstallation#usual()} when nothing else is said. */
    public NifiOptions installation(final NifiInstallation value) {
        installation = value;
        return this;
    }

    public NifiOptions listener(final Listener value) {
        listener = value;
        return this;
    }

    /** Port of the REST API, or {@link #ANY_PORT}. */
    public NifiOptions httpPort(final int value) {
        httpPort = value;
        return this;
    }

    /** Port of RAW Site-to-Site, or {@link #ANY_PORT}. */
    public NifiOptions s2sPort(final int value) {
        s2sPort = value;
        return this;
    }

    /** Heap, first and last, in the notation of {@code -Xmx}. */
    public NifiOptions heap(final String value) {
        heap = value;
        return this;
    }

    /** Concurrent tasks of each port. */
    public NifiOptions portTasks(final int value) {
        portTasks = value;
        return this;
    }

    /** Processors of this machine that NiFi may use, or {@link Processors#ALL}. */
    public NifiOptions processors(final int value) {
        processors = value;
        return this;
    }

    /** Whether NiFi is stopped when this JVM exits. */
    public NifiOptions stopOnExit(final boolean value) {
        stopOnExit = value;
        return this;
    }

    /** Whether NiFi speaks TLS with client certificates, on the REST API and on the RAW port. */
    public NifiOptions secure(final boolean value) {
        secure = value;
        return this;
    }

    /** Whether what an earlier NiFi left in the home, flow, data and ledger, is deleted before the first start. */
    public NifiOptions fresh(final boolean value) {
        fresh = value;
        return this;
    }

    /** A key of {@code nifi.properties} that replaces what the harness would set. */
    public NifiOptions property(final String key, final String value) {
        properties.put(key, value);
        return this;
    }

    public NifiOptions jvmArgument(final String value) {
        jvmArguments.add(value);
        return this;
    }

    public NifiOptions environment(final String name, final String value) {
        environment.put(name, value);
        return this;
    }
}
