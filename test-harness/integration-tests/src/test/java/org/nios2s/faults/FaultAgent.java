// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;

/**
 * A Java agent in the JVM of a NiFi that throws, once, what a file asks for: its only line names a method, a thread and a class of
 * throwable. Its methods are called on NiFi's threads.
 *
 * <p>A thread is told by the beginning of its name. A port's task is told by what it runs: whose thread that is, and how it is named,
 * depends on NiFi.
 */
public final class FaultAgent {

    private static final String[] TYPES = {
        "org.apache.nifi.controller.repository.StandardProcessSession",
        "org.apache.nifi.controller.repository.WriteAheadFlowFileRepository",
        "org.apache.nifi.controller.repository.FileSystemRepository",
        "org.apache.nifi.remote.StandardPublicPort",
        "org.apache.nifi.remote.protocol.AbstractFlowFileServerProtocol",
        "org.apache.nifi.security.ssl.StandardX509ExtendedTrustManager",
        "org.nios2s.wire.PacketDecoder",
    };
    private static final String[] METHODS = {
        "create",
        "get",
        "read",
        "putAllAttributes",
        "write",
        "transfer",
        "commit",
        "rollback",
        "updateRepository",
        "receiveFlowFiles",
        "transferFlowFiles",
        "validateHandshakeRequest",
        "checkUserAuthorization",
        "checkClientTrusted",
        "decode",
    };

    private static final String PORT_TASK = "port-task";
    private static final int WORDS = 3;

    private static volatile Path order;

    private FaultAgent() {}

    /** Called by the JVM before NiFi's main method. */
    public static void premain(final String orderFile, final Instrumentation instrumentation) {
        order = Path.of(orderFile);
        new AgentBuilder.Default()
                .type(namedOneOf(TYPES))
                .transform(new AgentBuilder.Transformer.ForAdvice()
                        .include(FaultAgent.class.getClassLoader())
                        .advice(isMethod().and(namedOneOf(METHODS)), Entrance.class.getName()))
                .installOn(instrumentation);
    }

    /** What runs first in each of the methods. */
    public static final class Entrance {

        private Entrance() {}

        /** Inlined there. */
        @Advice.OnMethodEnter
        public static void enter(@Advice.Origin("#t.#m") final String method) {
            FaultAgent.throwIfOrdered(method);
        }
    }

    /** Throws what is ordered for this method and thread, and takes the order away. */
    public static void throwIfOrdered(final String method) {
        if (!Files.exists(order)) {
            return;
        }
        final Throwable ordered = ordered(method);
        if (ordered != null) {
            throwUndeclared(ordered);
        }
    }

    private static Throwable ordered(final String method) {
        try {
            final String[] words = words();
            return words.length == WORDS
                            && method.endsWith(words[0])
                            && isOnThread(words[1])
                            && Files.deleteIfExists(order)
                    ? (Throwable) Class.forName(words[2])
                            .getConstructor(String.class)
                            .newInstance("ordered by a test in " + method)
                    : null;
        } catch (final IOException | ReflectiveOperationException e) {
            throw new IllegalStateException("The order in " + order + " can't be carried out", e);
        }
    }

    private static boolean isOnThread(final String thread) {
        if (PORT_TASK.equals(thread)) {
            return StackWalker.getInstance()
                    .walk(frames -> frames.anyMatch(frame -> "onTrigger".equals(frame.getMethodName())
                            && "org.apache.nifi.remote.StandardPublicPort".equals(frame.getClassName())));
        }
        return Thread.currentThread().getName().startsWith(thread.replace('_', ' '));
    }

    /** A checked one too, where the method that it is thrown in declares none. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwUndeclared(final Throwable ordered) throws T {
        throw (T) ordered;
    }

    private static String[] words() throws IOException {
        try {
            return Files.readString(order).trim().split(" ");
        } catch (final NoSuchFileException e) {
            return new String[0];
        }
    }

    /** Packs the agent into a jar, which names Byte Buddy's. */
    static Path pack(final Path jar) throws IOException {
        final Manifest manifest = new Manifest();
        final Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.putValue("Premain-Class", FaultAgent.class.getName());
        attributes.put(
                Attributes.Name.CLASS_PATH,
                AgentBuilder.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toString());
        Files.createDirectories(jar.getParent());
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest)) {
            for (final Class<?> type : new Class<?>[] {FaultAgent.class, Entrance.class}) {
                final String entry = type.getName().replace('.', '/') + ".class";
                out.putNextEntry(new JarEntry(entry));
                try (InputStream bytes = type.getClassLoader().getResourceAsStream(entry)) {
                    bytes.transferTo(out);
                }
                out.closeEntry();
            }
        }
        return jar.toAbsolutePath();
    }
}
