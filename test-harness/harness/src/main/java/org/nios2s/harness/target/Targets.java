// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiInstallation;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;

/**
 * The targets of an experiment: one server for all cells that want the same, started when it is first asked for, or the
 * one that the user named. Used on the command's thread.
 */
public final class Targets implements AutoCloseable {

    private final Path homes;
    private final Consumer<String> progress;
    private final MeasuredTarget given;
    private final Map<Settings, MeasuredTarget> open = new LinkedHashMap<>();

    private Targets(final Path homes, final Consumer<String> progress, final MeasuredTarget given) {
        this.homes = homes;
        this.progress = progress;
        this.given = given;
    }

    /** Targets that are started, each with a home below a directory. */
    public static Targets started(final Path homes, final Consumer<String> progress) {
        return new Targets(homes, progress, null);
    }

    /** The one server that the user named. */
    public static Targets given(final MeasuredTarget nifi) {
        return new Targets(null, text -> {}, nifi);
    }

    public MeasuredTarget of(final Cell cell) {
        if (given != null) {
            return given;
        }
        return open.computeIfAbsent(cell.settings().targetSettings(), settings -> {
            progress.accept("starting " + cell.column() + " ...");
            return start(cell.column(), settings);
        });
    }

    public void close(final Cell cell) {
        Optional.ofNullable(open.remove(cell.settings().targetSettings())).ifPresent(MeasuredTarget::close);
    }

    /** Ends what was started; what is asked for afterwards is started again. */
    public void closeAll() {
        final List<MeasuredTarget> started = List.copyOf(open.values()).reversed();
        open.clear();
        started.forEach(MeasuredTarget::close);
    }

    /**
     * The processes of all servers but one. A listener without NiFi is not among them: it costs nothing while it is idle,
     * and, stopped, it would not notice the end of a harness that was killed.
     */
    public List<ProcessHandle> others(final MeasuredTarget measured) {
        final List<ProcessHandle> own = measured.target().processes();
        return open.values().stream()
                .filter(nifi -> !(nifi instanceof NullPortTarget))
                .flatMap(nifi -> nifi.target().processes().stream())
                .filter(process -> !own.contains(process))
                .toList();
    }

    @Override
    public void close() {
        RuntimeException failure = null;
        for (final MeasuredTarget nifi : List.copyOf(open.values()).reversed()) {
            try {
                nifi.close();
            } catch (final RuntimeException e) {
                failure = e;
            }
        }
        open.clear();
        if (given != null) {
            given.close();
        }
        if (failure != null) {
            throw failure;
        }
    }

    private MeasuredTarget start(final String name, final Settings settings) {
        final Listener listener = settings.word(Parameter.LISTENER, Listener.class);
        if (settings.text(Parameter.SINK).equals("null")) {
            final String heap = settings.text(Parameter.HEAP);
            final List<String> arguments = new ArrayList<>(List.of("-Xms" + heap, "-Xmx" + heap));
            arguments.addAll(jvmArguments(settings));
            return NullPortTarget.start(
                    listener,
                    settings.number(Parameter.PORT_TASKS),
                    settings.number(Parameter.PROCESSORS),
                    settings.properties(),
                    arguments);
        }
        final String directory = name.toLowerCase(Locale.ROOT).replaceAll("[^\\w.]+", "-");
        final NifiOptions options =
                options(settings).home(homes.resolve(directory)).listener(listener);
        final ManagedTarget nifi = ManagedTarget.start(options);
        try {
            nifi.node().flow().setTimerDrivenThreads(settings.number(Parameter.POOL));
            if (settings.number(Parameter.PORTS) > 1) {
                nifi.spreadOver(settings.number(Parameter.PORTS), settings.number(Parameter.PORT_TASKS));
            }
            return nifi;
        } catch (final RuntimeException | Error e) {
            nifi.close();
            throw e;
        }
    }

    /** A NiFi as settings want it, to which home and listener are still to be added. */
    public static NifiOptions options(final Settings settings) {
        final NifiOptions options = new NifiOptions()
                .secure(settings.flag(Parameter.SECURE))
                .heap(settings.text(Parameter.HEAP))
                .portTasks(settings.number(Parameter.PORT_TASKS))
                .processors(settings.number(Parameter.PROCESSORS))
                .installation(installation(settings));
        settings.properties().forEach(options::property);
        jvmArguments(settings).forEach(options::jvmArgument);
        return options;
    }

    private static NifiInstallation installation(final Settings settings) {
        final String home = settings.text(Parameter.NIFI_HOME);
        final String version = settings.text(Parameter.NIFI_VERSION);
        if (!home.isEmpty()) {
            return NifiInstallation.at(Path.of(home));
        }
        return version.isEmpty() ? NifiInstallation.usual() : NifiInstallation.ofVersion(version);
    }

    private static List<String> jvmArguments(final Settings settings) {
        return Arrays.stream(settings.text(Parameter.JVM_ARGS).split(" "))
                .filter(text -> !text.isBlank())
                .toList();
    }
}
