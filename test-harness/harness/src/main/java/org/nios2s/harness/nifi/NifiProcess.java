// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.nios2s.harness.HarnessException;

/**
 * The operating system's process of one NiFi. For any thread; waiting blocks the thread that waits.
 *
 * @param managementPort on which it tells whether its start is complete; 0 when nobody is to ask
 */
record NifiProcess(ProcessHandle handle, int managementPort, NifiLog log) {

    /** System property that names the home of the Java on which NiFi runs; without it NiFi runs on this JVM's. */
    private static final String JAVA_HOME_PROPERTY = "nifi.java.home";

    private static final Duration GRACE = Duration.ofSeconds(40);
    private static final Duration KILL_PATIENCE = Duration.ofSeconds(10);
    private static final Duration HEALTH_PATIENCE = Duration.ofSeconds(2);
    private static final int CONSOLE_LINES = 5;
    private static final int ERROR_LINES = 5;
    private static final String ERROR = " ERROR ";
    private static final Pattern FAILED_START = Pattern.compile("Start Server failed|Starting NiFi failed");

    /** Starts NiFi in a home whose files are in place. */
    static NifiProcess launch(final NifiHome home, final NifiOptions options) {
        final int managementPort = FreePorts.any();
        final NifiLog log = NifiLog.fromHere(home.logs());
        final List<String> command = new ArrayList<>(Processors.ofThisMachine().command(options.processors));
        command.addAll(List.of(
                java().toString(),
                "-Xms" + options.heap,
                "-Xmx" + options.heap,
                "-Djava.awt.headless=true",
                "-Dsun.net.http.allowRestrictedHeaders=true",
                "-Dnifi.properties.file.path=" + home.conf().resolve("nifi.properties"),
                "-Dorg.apache.nifi.bootstrap.config.log.dir=" + home.logs(),
                "-Dorg.apache.nifi.management.server.address=" + NifiConfiguration.LOOPBACK + ":" + managementPort));
        command.addAll(LeakDetection.jvmArguments());
        command.addAll(options.jvmArguments);
        final String classPath = home.conf() + File.pathSeparator + home.lib() + File.separator + "*";
        command.addAll(List.of("-cp", classPath, "org.apache.nifi.NiFi"));
        return HarnessException.attempt(e -> "Cannot start NiFi with " + command.getFirst(), () -> {
            final ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(home.directory().toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.consoleFile().toFile());
            builder.environment().putAll(options.environment);
            final Process process = builder.start();
            process.getOutputStream().close();
            return new NifiProcess(process.toHandle(), managementPort, log);
        });
    }

    private static Path java() {
        String home = System.getProperty(JAVA_HOME_PROPERTY, "");
        if (home.isBlank()) {
            home = System.getProperty("java.home");
        }
        return NifiInstallation.fromBase(home).resolve("bin").resolve("java");
    }

    /**
     * Waits until NiFi's start is complete and something listens on its RAW port. No connection is made to it: a
     * listener would log that its peer left.
     */
    void awaitReady(final Duration timeout, final int s2sPort) {
        final Deadline deadline = Deadline.after(timeout);
        try (RestClient management =
                new RestClient("http://" + NifiConfiguration.LOOPBACK + ":" + managementPort, null, HEALTH_PATIENCE)) {
            deadline.until(() -> "NiFi's start is complete" + lastErrors(), () -> failIfEnded() && isUp(management));
        }
        if (s2sPort != 0) {
            deadline.until(
                    () -> "NiFi listens on its RAW port " + s2sPort + lastErrors(),
                    () -> failIfEnded() && !FreePorts.isFree(s2sPort));
        }
    }

    /** Asks NiFi to end, and ends it if it does not within its time. */
    void stop() {
        handle.destroy();
        if (!ended(GRACE)) {
            kill();
        }
    }

    /** Ends NiFi at once, as a crash would. */
    void kill() {
        handle.destroyForcibly();
        if (!ended(KILL_PATIENCE)) {
            throw new HarnessException("NiFi, process " + handle.pid() + ", does not end although it was killed");
        }
    }

    private boolean ended(final Duration patience) {
        return Liveness.awaitEnd(handle, Deadline.after(patience));
    }

    private boolean failIfEnded() {
        if (!Liveness.isAlive(handle)) {
            throw new HarnessException("NiFi ended while it was started" + lastErrors());
        }
        if (log.linesWith(ERROR).stream().anyMatch(FAILED_START.asPredicate())) {
            throw new HarnessException("NiFi could not be started" + lastErrors());
        }
        return true;
    }

    private static boolean isUp(final RestClient management) {
        try {
            management.getBytes("/health");
            return true;
        } catch (final RestException | NoAnswerException e) {
            return false;
        }
    }

    private String lastErrors() {
        final List<String> errors = new ArrayList<>(log.linesWith(ERROR));
        log.lines().stream()
                .filter(line -> line.startsWith("Caused by: "))
                .reduce((earlier, later) -> later)
                .ifPresent(errors::add);
        final List<String> last = errors.isEmpty()
                ? log.consoleTail(CONSOLE_LINES)
                : errors.subList(Math.max(0, errors.size() - ERROR_LINES), errors.size());
        return "; its log " + log.file() + " ends with:" + System.lineSeparator()
                + String.join(System.lineSeparator(), last);
    }
}
