// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.File;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;

/** The jars that the client needs beside its own: the wire codecs, Netty's seven and SLF4J. Immutable; any thread. */
final class RequiredJars {
    private static final Set<String> ARTIFACTS = Set.of(
            "nifi-nio-s2s-wire",
            "netty-handler",
            "netty-common",
            "netty-resolver",
            "netty-buffer",
            "netty-transport",
            "netty-transport-native-unix-common",
            "netty-codec-base",
            "slf4j-api");

    private RequiredJars() {}

    /** @return jars and directories on the class path of the tests */
    static Stream<Path> classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of);
    }

    static boolean contains(final Path entry) {
        return ARTIFACTS.contains(artifact(entry));
    }

    /** @return the name of a jar without its version */
    static String artifact(final Path jar) {
        return jar.getFileName().toString().replaceFirst("-\\d.*", "");
    }
}
