// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nios2s.harness.HarnessException;

/**
 * A released NiFi that Maven puts together, the way this project's build does it for its own.
 * For one thread, which it blocks while Maven runs.
 */
final class MavenNifi {

    private static final Pattern VERSION = Pattern.compile("2\\.(\\d{1,4})\\.\\d{1,4}(-[A-Za-z0-9.-]+)?");
    private static final Pattern MISSING =
            Pattern.compile("(?:Could not find artifact|Could not transfer artifact|Failure to find) [^\\n]*");
    private static final List<String> MAVEN = List.of("mvn", "--batch-mode", "--no-transfer-progress", "--quiet");
    private static final int ZOOKEEPER_APART_SINCE = 6;
    private static final long PATIENCE_MINUTES = 15;

    private MavenNifi() {}

    /** The directory of a version as it was released, 2.3.0 for instance; filled when it is not there yet. */
    static Path resolve(final String version) {
        final Matcher parts = VERSION.matcher(version);
        if (!parts.matches()) {
            throw new HarnessException("'%s' is not a version of NiFi 2: write it like 2.3.0".formatted(version));
        }
        final boolean zookeeperApart = Integer.parseInt(parts.group(1)) >= ZOOKEEPER_APART_SINCE;
        final Path module = BuildOutput.modules().resolve("nifi");
        final Path directory = module.resolve("target").resolve("nifi-" + version);
        if (Files.isDirectory(directory)) {
            return directory;
        }
        final Path unfinished = directory.resolveSibling(directory.getFileName() + ".part");
        try {
            Files.createDirectories(unfinished);
            run(version, zookeeperApart, module, unfinished);
            Files.move(unfinished, directory);
        } catch (final IOException e) {
            throw new HarnessException(
                    "Cannot put NiFi %s into %s: %s; it takes Maven 3.8 or newer on the path, or a NiFi of yours with --nifi-home"
                            .formatted(version, directory, e.getMessage()),
                    e);
        } finally {
            if (Files.isDirectory(unfinished)) {
                NifiHome.delete(unfinished);
            }
        }
        return directory;
    }

    private static void run(final String version, final boolean zookeeperApart, final Path module, final Path target)
            throws IOException {
        final List<String> command = new ArrayList<>(MAVEN);
        command.addAll(List.of("--file", module.resolve("pom.xml").toString(), "dependency:copy-dependencies@nifi"));
        command.addAll(List.of("-Dnifi.version=" + version, "-Dnifi.directory=" + target.getFileName()));
        if (zookeeperApart) {
            command.add("--activate-profiles=zookeeper-nar");
        }
        final Path log = target.resolveSibling(target.getFileName() + ".log");
        final Process maven = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        maven.getOutputStream().close();
        maven.onExit()
                .completeOnTimeout(maven, PATIENCE_MINUTES, TimeUnit.MINUTES)
                .join();
        if (maven.isAlive()) {
            maven.destroyForcibly();
            throw new HarnessException("Maven took more than %d minutes for NiFi %s; its output is in %s"
                    .formatted(PATIENCE_MINUTES, version, log));
        }
        if (maven.exitValue() != 0) {
            throw new HarnessException(
                    "NiFi %s can't be had with Maven: %s; name another version, or a directory with --nifi-home. Maven's output is in %s"
                            .formatted(version, reason(Files.readString(log, StandardCharsets.UTF_8)), log));
        }
    }

    /** The part of Maven's output that names what it did not find, otherwise its first line. */
    static String reason(final String output) {
        final Matcher missing = MISSING.matcher(output);
        return missing.find()
                ? missing.group().replaceAll(" -> \\[Help.*", "").strip()
                : output.lines().findFirst().orElse("without output");
    }
}
