// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.nar.NarUnpackMode;
import org.apache.nifi.nar.NarUnpacker;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

/**
 * The shim takes the place of the stock listener: in a class loader of its own, which stands for that of NiFi's
 * framework and has not loaded the stock listener. Lives on the test's thread.
 */
class ListenerTakeoverTest {
    private static final String LISTENER = "org.apache.nifi.remote.SocketRemoteSiteListener";
    private static final String LISTENER_FILE = LISTENER.replace('.', '/') + ".class";
    private static final String LISTENER_INTERFACE = "org.apache.nifi.remote.RemoteSiteListener";
    private static final String TAKEOVER = "org.nios2s.listener.activation.ListenerTakeover";

    private final FrameworkLoader framework = new FrameworkLoader();
    private final List<String> calls = new ArrayList<>();
    private final AtomicReference<Object[]> handedOver = new AtomicReference<>();

    /** Loads afresh what the take-over touches; the rest comes from the test's own loader. */
    private static final class FrameworkLoader extends ClassLoader {
        /** Where our NAR is unpacked; null for the directory of the build. */
        private ClassLoader unpacked;

        FrameworkLoader() {
            super(ListenerTakeoverTest.class.getClassLoader());
        }

        @Override
        public URL getResource(final String name) {
            return unpacked == null ? super.getResource(name) : unpacked.getResource(name);
        }

        @Override
        protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                final Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                return List.of(LISTENER, LISTENER_INTERFACE, TAKEOVER).contains(name)
                        ? defineAfresh(name)
                        : super.loadClass(name, resolve);
            }
        }

        private Class<?> defineAfresh(final String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                final byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (final IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    private void install() throws Exception {
        // A listener, as that class loader knows the interface, that writes down what is called.
        final Object delegate = Proxy.newProxyInstance(
                framework, new Class<?>[] {framework.loadClass(LISTENER_INTERFACE)}, (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    return null;
                });
        final Function<Object[], Object> factory = arguments -> {
            handedOver.set(arguments);
            return delegate;
        };
        final Method install = framework.loadClass(TAKEOVER).getDeclaredMethod("install", Function.class);
        install.setAccessible(true);
        install.invoke(null, factory);
    }

    @Test
    @DisplayName(
            "the listener that NiFi constructs hands its four arguments to the factory, and its calls to what it makes")
    void takesOver() throws Exception {
        install();
        final Class<?> linked = framework.loadClass(LISTENER);
        final NiFiProperties properties = new NiFiProperties(Map.of());
        final NodeInformant informant = () -> null;
        final Object listener = linked.getConstructor(
                        int.class, SSLContext.class, NiFiProperties.class, NodeInformant.class)
                .newInstance(10_443, null, properties, informant);
        assertInstanceOf(framework.loadClass(LISTENER_INTERFACE), listener);
        assertArrayEquals(new Object[] {10_443, null, properties, informant}, handedOver.get());
        linked.getMethod("setRootGroup", ProcessGroup.class).invoke(listener, (Object) null);
        for (final String name : List.of("start", "stop", "destroy")) {
            linked.getMethod(name).invoke(listener);
        }
        assertEquals(List.of("setRootGroup", "start", "stop", "destroy"), calls);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("however NiFi unpacks our NAR, the shim is whole")
    void unpacked(final NarUnpackMode mode, @TempDir final Path directory) throws Exception {
        final Path jar = directory.resolve("listener.jar");
        final Path classes = Path.of(ListenerTakeover.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), new Manifest());
                Stream<Path> files = Files.walk(classes)) {
            for (final Path file : files.filter(Files::isRegularFile).toList()) {
                final String name = classes.relativize(file).toString();
                // As the jar is made.
                if (!name.startsWith("org/apache/nifi/")) {
                    out.putNextEntry(new JarEntry(name));
                    Files.copy(file, out);
                }
            }
        }
        final Path nar = directory.resolve("listener.nar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(nar))) {
            out.putNextEntry(new JarEntry("META-INF/bundled-dependencies/"));
            out.putNextEntry(new JarEntry("META-INF/bundled-dependencies/listener.jar"));
            Files.copy(jar, out);
        }
        final Path unpacked = NarUnpacker.unpackNar(nar.toFile(), directory.toFile(), false, mode)
                .toPath();
        final List<URL> urls = new ArrayList<>(List.of(unpacked.toUri().toURL()));
        try (Stream<Path> jars = Files.list(unpacked.resolve("NAR-INF/bundled-dependencies"))) {
            for (final Path bundled : jars.toList()) {
                urls.add(bundled.toUri().toURL());
            }
        }
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), null)) {
            framework.unpacked = loader;
            assertDoesNotThrow(this::install);
        }
    }

    @Test
    @DisplayName("NiFi would take the shim for the original")
    void verified() throws IOException {
        // The first is the shim itself, where the build leaves it.
        final List<URL> both = Collections.list(getClass().getClassLoader().getResources(LISTENER_FILE));
        try (InputStream original = both.getLast().openStream()) {
            final byte[] bytes = original.readAllBytes();
            assertEquals(2, both.size(), both::toString);
            assertDoesNotThrow(() -> ListenerTakeover.verify(with(LISTENER_FILE, bytes)));
        }
    }

    @Test
    @DisplayName("a method of the original that the shim has not is named")
    void anotherMethod() {
        final ClassWriter original = new ClassWriter(0);
        original.visit(Opcodes.V21, Opcodes.ACC_PUBLIC, LISTENER.replace('.', '/'), null, "java/lang/Object", null);
        original.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_NATIVE, "start", "(ILjava/lang/String;)V", null, null);
        final String message = refusal(LISTENER_FILE, original.toByteArray());
        assertTrue(message.contains("[int, class java.lang.String]"), message);
    }

    @Test
    @DisplayName("a FlowController that knows no such listener is an obstacle")
    void anotherController() {
        final String message = refusal("org/apache/nifi/controller/FlowController.class", new byte[] {1});
        assertTrue(message.contains("does not use " + LISTENER), message);
    }

    private static String refusal(final String file, final byte[] bytes) {
        return assertThrows(IllegalStateException.class, () -> ListenerTakeover.verify(with(file, bytes)))
                .getMessage();
    }

    /** NiFi's classes, of which one file is another. */
    private static ClassLoader with(final String file, final byte[] bytes) {
        return new ClassLoader(ListenerTakeoverTest.class.getClassLoader()) {
            @Override
            public InputStream getResourceAsStream(final String name) {
                return name.equals(file) ? new ByteArrayInputStream(bytes) : super.getResourceAsStream(name);
            }
        };
    }

    @Test
    @DisplayName("the constructor with three arguments passes no cluster")
    void threeArguments() throws Exception {
        install();
        assertNotNull(framework
                .loadClass(LISTENER)
                .getConstructor(int.class, SSLContext.class, NiFiProperties.class)
                .newInstance(1, null, null));
        assertArrayEquals(new Object[] {1, null, null, null}, handedOver.get());
    }

    @Test
    @DisplayName("activated too late, the class that is there stays")
    void tooLate() throws Exception {
        final Class<?> stock = framework.loadClass(LISTENER);
        final Throwable refusal = assertThrows(InvocationTargetException.class, this::install);
        assertInstanceOf(LinkageError.class, refusal.getCause());
        assertSame(stock, framework.loadClass(LISTENER));
    }
}
