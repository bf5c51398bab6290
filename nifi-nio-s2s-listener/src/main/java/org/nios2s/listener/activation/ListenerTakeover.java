// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.nifi.remote.RemoteSiteListener;

/**
 * The take-over: defines our shim of {@code SocketRemoteSiteListener} in the framework's class loader, before the original is
 * loaded, so that {@code FlowController} links to the shim. Lives on NiFi's main thread.
 */
final class ListenerTakeover {
    /**
     * The shim's class file, at a path where no class loader finds it by its name. Not in META-INF: with
     * {@code nifi.nar.unpack.uber.jar=true} NiFi appends a line feed to each file there.
     */
    private static final String SHIM = "/shim/SocketRemoteSiteListener.class";

    private static final String ORIGINAL = "org/apache/nifi/remote/SocketRemoteSiteListener";
    private static final String FLOW_CONTROLLER = "org/apache/nifi/controller/FlowController";

    private ListenerTakeover() {}

    /**
     * Checks that the shim can replace the original: {@code FlowController} refers to the original by name, and the shim has all its
     * public constructors and methods. NiFi's two classes are read, not loaded: loading the original would make the take-over
     * impossible.
     *
     * @param nifi a class loader that sees NiFi's classes
     * @throws IllegalStateException that names the difference
     */
    static void verify(final ClassLoader nifi) throws IOException {
        final byte[] controller = bytesOf(FLOW_CONTROLLER, nifi);
        if (!new String(controller, StandardCharsets.ISO_8859_1).contains(ORIGINAL)) {
            throw new IllegalStateException("FlowController of this NiFi does not use " + ORIGINAL.replace('/', '.'));
        }
        final Set<String> missing = publicMembers(bytesOf(ORIGINAL, nifi), nifi);
        missing.removeAll(publicMembers(shimBytes(), nifi));
        if (!missing.isEmpty()) {
            throw new IllegalStateException(
                    "this NiFi's listener has constructors or methods that ours lacks: " + String.join(", ", missing));
        }
    }

    private static byte[] bytesOf(final String name, final ClassLoader nifi) throws IOException {
        return bytesOf(nifi.getResourceAsStream(name + ".class"), "this NiFi has no " + name.replace('/', '.'));
    }

    private static byte[] bytesOf(final InputStream resource, final String complaint) throws IOException {
        try (resource) {
            if (resource == null) {
                throw new IllegalStateException(complaint);
            }
            return resource.readAllBytes();
        }
    }

    private static Set<String> publicMembers(final byte[] classFile, final ClassLoader nifi) {
        final Class<?> type = new ClassLoader(nifi) {
            Class<?> define() {
                return defineClass(null, classFile, 0, classFile.length);
            }
        }.define();
        return Stream.of(type.getDeclaredConstructors(), type.getDeclaredMethods())
                .flatMap(Arrays::stream)
                .filter(member -> Modifier.isPublic(member.getModifiers()))
                .map(member -> member.getName() + Arrays.toString(member.getParameterTypes()))
                .collect(Collectors.toCollection(HashSet::new));
    }

    /**
     * Defines the shim and gives it the factory.
     *
     * @param factory makes the listener from the constructor's four arguments
     * @throws LinkageError if a class of that name is there already: activated too late
     */
    static void install(final Function<Object[], RemoteSiteListener> factory)
            throws IOException, ReflectiveOperationException {
        MethodHandles.privateLookupIn(RemoteSiteListener.class, MethodHandles.lookup())
                .defineClass(shimBytes())
                .getMethod("setFactory", Function.class)
                .invoke(null, factory);
    }

    private static byte[] shimBytes() throws IOException {
        return bytesOf(ListenerTakeover.class.getResourceAsStream(SHIM), "the jar of the listener lacks " + SHIM);
    }
}
