// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How a NiFi of the harness is to be started.
 * Immutable, for any thread; its builder is for one thread.
 */
public final class NifiOptions {

    /** Where the home of a NiFi is when nothing else is said, relative to the project. */
    public static final String DEFAULT_HOME = ".s2s-harness/nifi";

    /** A port number that stands for any free port. */
    public static final int ANY_PORT = 0;

    /** The heap of a NiFi that is measured. */
    public static final String DEFAULT_HEAP = "2g";

    /** Concurrent tasks of each port. */
    public static final int DEFAULT_PORT_TASKS = 4;

    private static final int START_TIMEOUT_SECONDS = 180;

    private final Path home;
    private final NifiInstallation installation;
    private final Listener listener;
    private final int httpPort;
    private final int s2sPort;
    private final String heap;
    private final int portTasks;
    private final Duration startTimeout;
    private final boolean stopOnExit;
    private final boolean secure;
    private final boolean fresh;
    private final Map<String, String> properties;
    private final List<String> jvmArguments;

    private NifiOptions(final Builder builder) {
        home = Objects.requireNonNull(builder.home, "home").toAbsolutePath().normalize();
        installation = builder.installation;
        listener = builder.listener;
        httpPort = builder.httpPort;
        s2sPort = builder.s2sPort;
        heap = builder.heap;
        portTasks = builder.portTasks;
        startTimeout = builder.startTimeout;
        stopOnExit = builder.stopOnExit;
        secure = builder.secure;
        fresh = builder.fresh;
        properties = Map.copyOf(builder.properties);
        jvmArguments = List.copyOf(builder.jvmArguments);
    }

    /** Options with every default; the home has to be set. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts from these options. */
    public Builder toBuilder() {
        final Builder builder = new Builder()
                .home(home)
                .installation(installation)
                .listener(listener)
                .httpPort(httpPort)
                .s2sPort(s2sPort)
                .heap(heap)
                .portTasks(portTasks)
                .startTimeout(startTimeout)
                .stopOnExit(stopOnExit)
                .secure(secure)
                .fresh(fresh);
        properties.forEach(builder::property);
        jvmArguments.forEach(builder::jvmArgument);
        return builder;
    }

    /** The directory that holds everything of this NiFi: configuration, repositories, logs, ledger. */
    public Path home() {
        return home;
    }

    /** The NiFi that is started there, {@link NifiInstallation#usual()} when nothing else is said. */
    public NifiInstallation installation() {
        return installation == null ? NifiInstallation.usual() : installation;
    }

    /** The listener that serves the RAW port. */
    public Listener listener() {
        return listener;
    }

    /** Port of the REST API, or {@link #ANY_PORT}. */
    public int httpPort() {
        return httpPort;
    }

    /** Port of RAW Site-to-Site, or {@link #ANY_PORT}. */
    public int s2sPort() {
        return s2sPort;
    }

    /** Heap, first and last, in the notation of {@code -Xmx}. */
    public String heap() {
        return heap;
    }

    /** Concurrent tasks of each port. */
    public int portTasks() {
        return portTasks;
    }

    /** How long a start may take. */
    public Duration startTimeout() {
        return startTimeout;
    }

    /** Whether NiFi is stopped when this JVM exits. */
    public boolean stopOnExit() {
        return stopOnExit;
    }

    /** Whether NiFi speaks TLS with client certificates, on the REST API and on the RAW port. */
    public boolean secure() {
        return secure;
    }

    /** Whether what an earlier NiFi left in the home, flow, data and ledger, is deleted before the first start. */
    public boolean fresh() {
        return fresh;
    }

    /** Keys of {@code nifi.properties} that replace what the harness would set. */
    public Map<String, String> properties() {
        return properties;
    }

    /** Further arguments of NiFi's JVM. */
    public List<String> jvmArguments() {
        return jvmArguments;
    }

    /**
     * Collects options.
     * For one thread.
     */
    public static final class Builder {

        private Path home;
        private NifiInstallation installation;
        private Listener listener = Listener.NIO;
        private int httpPort = ANY_PORT;
        private int s2sPort = ANY_PORT;
        private String heap = DEFAULT_HEAP;
        private int portTasks = DEFAULT_PORT_TASKS;
        private Duration startTimeout = Duration.ofSeconds(START_TIMEOUT_SECONDS);
        private boolean stopOnExit;
        private boolean secure;
        private boolean fresh;
        private final Map<String, String> properties = new LinkedHashMap<>();
        private final List<String> jvmArguments = new ArrayList<>();

        private Builder() {}

        /** See {@link NifiOptions#home()}. */
        public Builder home(final Path value) {
            home = value;
            return this;
        }

        /** See {@link NifiOptions#installation()}. */
        public Builder installation(final NifiInstallation value) {
            installation = value;
            return this;
        }

        /** See {@link NifiOptions#listener()}. */
        public Builder listener(final Listener value) {
            listener = value;
            return this;
        }

        /** See {@link NifiOptions#httpPort()}. */
        public Builder httpPort(final int value) {
            httpPort = value;
            return this;
        }

        /** See {@link NifiOptions#s2sPort()}. */
        public Builder s2sPort(final int value) {
            s2sPort = value;
            return this;
        }

        /** See {@link NifiOptions#heap()}. */
        public Builder heap(final String value) {
            heap = value;
            return this;
        }

        /** See {@link NifiOptions#portTasks()}. */
        public Builder portTasks(final int value) {
            portTasks = value;
            return this;
        }

        /** See {@link NifiOptions#startTimeout()}. */
        public Builder startTimeout(final Duration value) {
            startTimeout = value;
            return this;
        }

        /** See {@link NifiOptions#stopOnExit()}. */
        public Builder stopOnExit(final boolean value) {
            stopOnExit = value;
            return this;
        }

        /** See {@link NifiOptions#secure()}. */
        public Builder secure(final boolean value) {
            secure = value;
            return this;
        }

        /** See {@link NifiOptions#fresh()}. */
        public Builder fresh(final boolean value) {
            fresh = value;
            return this;
        }

        /** Sets one key of {@code nifi.properties}. */
        public Builder property(final String key, final String value) {
            properties.put(key, value);
            return this;
        }

        /** Adds one argument of NiFi's JVM. */
        public Builder jvmArgument(final String value) {
            jvmArguments.add(value);
            return this;
        }

        /** The options as collected so far. */
        public NifiOptions build() {
            return new NifiOptions(this);
        }
    }
}
