// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.HarnessException;

/**
 * Either listener in a process of its own, in front of a port that keeps nothing: the engine without NiFi's repositories.
 * For one thread at a time; the process ends with this JVM, whatever happens.
 */
public final class NullListener implements AutoCloseable {

    /** Identifier of its input port. */
    public static final String PORT_ID = "null-port";

    /** Its address. */
    public static final String HOST = NifiConfiguration.LOOPBACK;

    private static final String MAIN_CLASS = "org.nios2s.harness.nullport.NullPortServer";
    private static final String STARTED = "started";
    private static final int END_SECONDS = 10;

    private final Process process;
    private final int port;

    private NullListener(final Process process, final int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts one. */
    public static NullListener start(
            final Listener listener,
            final int tasks,
            final Map<String, String> properties,
            final List<String> jvmArguments) {
        final int port = FreePorts.any();
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmArguments);
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-cp");
        command.add(classPath());
        command.add(MAIN_CLASS);
        command.add(listener.name().toLowerCase(Locale.ROOT));
        command.add(Integer.toString(port));
        command.add(Integer.toString(tasks));
        properties.forEach((key, value) -> command.add(key + "=" + value));
        try {
            final Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            awaitStart(process);
            return new NullListener(process, port);
        } catch (final IOException e) {
            throw new HarnessException("Cannot start a listener with " + command.getFirst(), e);
        }
    }

    /** The TCP port that it serves. */
    public int port() {
        return port;
    }

    /** Its process. */
    public ProcessHandle process() {
        return process.toHandle();
    }

    /** Lets it end in order, as the end of its standard input tells it to; ends it if it does not. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (final IOException e) {
            process.destroyForcibly();
        } catch (final InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Its first line says that it serves. The rest is not read: there is none. */
    private static void awaitStart(final Process process) throws IOException {
        final BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        String line = lines.readLine();
        while (line != null && !STARTED.equals(line)) {
            line = lines.readLine();
        }
        if (line == null) {
            process.destroyForcibly();
            throw new HarnessException("A listener without NiFi ended while it was started; see its words above");
        }
    }

    private static String classPath() {
        final Path target = BuildOutput.modules().resolve("null-port").resolve("target");
        final Path jar = BuildOutput.existing(target.resolve("null-port.jar"));
        return jar + File.pathSeparator + target.resolve("lib") + File.separator + "*";
    }
}
