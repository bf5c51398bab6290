// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.nifi.BuildOutput;
import org.nios2s.harness.nifi.FreePorts;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.Processors;
import org.nios2s.harness.nifi.ServerThreads;
import org.nios2s.harness.result.ObservedServer;

/**
 * Either listener in a process of its own, in front of a port that keeps nothing: the engine without NiFi's repositories.
 * For one thread at a time; the process ends with this JVM, whatever happens.
 */
public record NullPortTarget(Process process, Target target) implements MeasuredTarget {

    private static final String MAIN_CLASS = "org.nios2s.harness.nullport.NullPortServer";
    private static final int END_SECONDS = 10;

    /** Starts one; {@code processors} it may use, or {@link Processors#ALL}. */
    public static NullPortTarget start(
            final Listener listener,
            final int tasks,
            final int processors,
            final Map<String, String> properties,
            final List<String> jvmArguments) {
        final int port = FreePorts.any();
        final String kind = listener.name().toLowerCase(Locale.ROOT);
        final List<String> command = new ArrayList<>(Processors.ofThisMachine().command(processors));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmArguments);
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", BuildOutput.nullPort(), MAIN_CLASS, kind));
        command.addAll(List.of(Integer.toString(port), Integer.toString(tasks)));
        properties.forEach((key, value) -> command.add(key + "=" + value));
        try {
            final Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            awaitStart(process);
            final TargetAddress address = new TargetAddress("127.0.0.1", port, "null-port", null);
            return new NullPortTarget(
                    process, new Target(kind + ", null sink", address, process.toHandle(), null, null, List.of()));
        } catch (final IOException | UncheckedIOException e) {
            throw new HarnessException("Cannot start a listener with " + command.getFirst(), e);
        }
    }

    @Override
    public ObservedServer observe() {
        return ObservedServer.of(ServerThreads.listener(process.toHandle()));
    }

    /** Lets it end in order, as the end of its standard input tells it to; ends it if it does not. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            process.onExit()
                    .completeOnTimeout(process, END_SECONDS, TimeUnit.SECONDS)
                    .join();
        } catch (final IOException e) {
            // Then it is not told, only ended.
        } finally {
            process.destroyForcibly();
        }
    }

    /** Its first line says that it serves. The rest is not read: there is none. */
    private static void awaitStart(final Process process) {
        if (process.inputReader(StandardCharsets.UTF_8).lines().noneMatch("started"::equals)) {
            process.destroyForcibly();
            throw new HarnessException("A listener without NiFi ended while it was started; see its output above");
        }
    }
}
