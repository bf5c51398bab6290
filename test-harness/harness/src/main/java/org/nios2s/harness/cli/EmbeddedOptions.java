// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.scenario.EmbeddedCluster;
import org.nios2s.harness.scenario.EmbeddedNifi;
import org.nios2s.harness.scenario.MeasuredNifi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The options of a NiFi that a command starts for itself.
 * For one thread.
 */
final class EmbeddedOptions {

    private static final String HOMES = ".s2s-harness";
    private static final String SECURE_HOME = "-secure";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Mixin
    private InstallationOptions installation;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            defaultValue = NifiOptions.DEFAULT_HEAP,
            description = "Heap of a NiFi that is started, as for -Xmx; default: ${DEFAULT-VALUE}.")
    private String heap;

    @Option(
            names = "--port-tasks",
            paramLabel = "N",
            defaultValue = "" + NifiOptions.DEFAULT_PORT_TASKS,
            description = "Concurrent tasks of each port; default: ${DEFAULT-VALUE}.")
    private int portTasks;

    @Option(
            names = "--secure",
            description = "Secures a NiFi that is started: TLS with client certificates, for the load, too.")
    private boolean secure;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "A line of nifi.properties of a NiFi that is started; wins over what the harness sets."
                    + " May be repeated.")
    private Map<String, String> properties = new LinkedHashMap<>();

    @Option(
            names = "--jvm-arg",
            paramLabel = "ARGUMENT",
            description = "A further argument of the JVM of a NiFi that is started. May be repeated.")
    private List<String> jvmArguments = List.of();

    /** Concurrent tasks of each port. */
    int portTasks() {
        return portTasks;
    }

    /** Arguments of a JVM that is measured, its heap among them. */
    List<String> jvmArguments() {
        return Stream.concat(Stream.of("-Xms" + heap, "-Xmx" + heap), jvmArguments.stream())
                .toList();
    }

    /** Lines of nifi.properties that were given. */
    Map<String, String> properties() {
        return Map.copyOf(properties);
    }

    /** Whether a NiFi that is started is secured. */
    boolean secure() {
        return secure;
    }

    /** A NiFi as the options want it, to which home and listener are still to be added. */
    NifiOptions.Builder options() {
        final NifiOptions.Builder options = NifiOptions.builder()
                .installation(installation.installation())
                .secure(secure)
                .heap(heap)
                .portTasks(portTasks);
        properties.forEach(options::property);
        jvmArguments.forEach(options::jvmArgument);
        return options;
    }

    /** Sets the heap of a NiFi that is started if the command line does not. */
    void usualHeap(final String size) {
        if (!command.commandLine().getParseResult().hasMatchedOption("--heap")) {
            heap = size;
        }
    }

    /** Adds an argument of the JVM of a NiFi that is started. */
    void jvmArgument(final String argument) {
        final List<String> more = new ArrayList<>(jvmArguments);
        more.add(argument);
        jvmArguments = List.copyOf(more);
    }

    /** Sets a line of nifi.properties of a NiFi that is started if the command line does not. */
    void usualProperty(final String key, final String value) {
        properties.putIfAbsent(key, value);
    }

    /**
     * What tells a NiFi from another one with the same listener.
     *
     * @param name         part of its home's name, empty for the only one
     * @param secured      whether it is secured in any case
     * @param properties   further lines of nifi.properties
     * @param jvmArguments further arguments of its JVM
     */
    record Variant(String name, boolean secured, Map<String, String> properties, List<String> jvmArguments) {

        /** The only one. */
        static final Variant ONLY = new Variant("", false, Map.of(), List.of());
    }

    /** Starts a NiFi in a home of the command's own, and says so. */
    EmbeddedNifi start(final Listener listener) {
        return start(listener, Variant.ONLY);
    }

    /** Starts one of several NiFis in a home of its own, and says so. */
    EmbeddedNifi start(final Listener listener, final Variant variant) {
        return launch(listener, variant, EmbeddedNifi::start);
    }

    /** Starts a cluster in a home of its own, and says so. */
    MeasuredNifi startCluster(final Listener listener, final Variant variant, final int nodes) {
        return launch(listener, variant, options -> EmbeddedCluster.start(options, nodes));
    }

    private <T> T launch(final Listener listener, final Variant variant, final Function<NifiOptions, T> start) {
        final String name =
                listener.name().toLowerCase(Locale.ROOT) + (variant.name().isEmpty() ? "" : "-" + variant.name());
        command.commandLine().getErr().printf("starting NiFi with the %s listener ...%n", name);
        command.commandLine().getErr().flush();
        final boolean secured = secure || variant.secured();
        final Path home =
                ProjectDirectory.resolve(HOMES).resolve(command.name() + "-" + name + (secured ? SECURE_HOME : ""));
        final NifiOptions.Builder options =
                options().home(home).listener(listener).secure(secured);
        variant.properties().forEach(options::property);
        variant.jvmArguments().forEach(options::jvmArgument);
        try {
            return start.apply(options.build());
        } catch (final IllegalStateException e) {
            // The JVM refuses shutdown hooks once it is ending: Ctrl-C came in the middle of the start.
            throw new HarnessException("The start of NiFi was cut short: " + e.getMessage(), e);
        }
    }
}
