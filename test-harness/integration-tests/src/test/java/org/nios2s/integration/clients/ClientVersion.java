// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One released version of NiFi's client with exactly the dependencies it was released with, in a class loader of its own.
 * For one thread.
 */
final class ClientVersion implements Exchange, Closeable {

    private static final Path MODULES = Path.of("..", "client-versions");

    private final IsolatedLoader loader;
    private final Exchange exchange;

    private ClientVersion(final IsolatedLoader loader, final Exchange exchange) {
        this.loader = loader;
        this.exchange = exchange;
    }

    /** Loads a version that the build has fetched. */
    static ClientVersion load(final String version) throws IOException, ReflectiveOperationException {
        final List<URL> urls = new ArrayList<>();
        urls.add(ClientVersion.class.getProtectionDomain().getCodeSource().getLocation());
        final Path jars = MODULES.resolve(Path.of(version, "target", "client"));
        if (!Files.isDirectory(jars)) {
            throw new IOException(jars.toAbsolutePath().normalize() + " is missing: build the module client-" + version
                    + " first, as a build of the whole project does");
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(jars, "*.jar")) {
            files.forEach(file -> urls.add(url(file)));
        }
        final IsolatedLoader loader = new IsolatedLoader(urls);
        final Exchange exchange = (Exchange) loader.loadClass(ClientExchange.class.getName())
                .getDeclaredConstructor()
                .newInstance();
        return new ClientVersion(loader, exchange);
    }

    @Override
    public void push(
            final Map<Setting, String> settings,
            final List<Map<String, String>> attributes,
            final List<byte[]> contents)
            throws IOException {
        withOwnLoader(() -> exchange.push(settings, attributes, contents));
    }

    @Override
    public void pull(
            final Map<Setting, String> settings,
            final List<Map<String, String>> attributes,
            final List<byte[]> contents)
            throws IOException {
        withOwnLoader(() -> exchange.pull(settings, attributes, contents));
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }

    /** The client and its libraries look for services in the thread's class loader. */
    private void withOwnLoader(final Call call) throws IOException {
        final Thread thread = Thread.currentThread();
        final ClassLoader usual = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            call.run();
        } finally {
            thread.setContextClassLoader(usual);
        }
    }

    private static URL url(final Path file) {
        try {
            return file.toUri().toURL();
        } catch (final MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is done with the client. For one thread. */
    private interface Call {
        void run() throws IOException;
    }

    /** Sees the JDK, its own files and the types the test shares with it. Thread-safe. */
    private static final class IsolatedLoader extends URLClassLoader {

        IsolatedLoader(final List<URL> urls) {
            super(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(final String name) throws ClassNotFoundException {
            if (name.startsWith(Exchange.class.getName())) {
                return Class.forName(name, false, Exchange.class.getClassLoader());
            }
            return super.findClass(name);
        }
    }
}
