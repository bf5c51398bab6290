// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.loading;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;

/**
 * Our classes as NiFi loads them: in a class loader of their own, above which are NiFi's. Some classes may be missing. Thread-safe.
 *
 * <p>The libraries that a NAR brings along are in this loader, too. The classes of tests are not: they are shared.
 */
public final class NarLoader extends ClassLoader {
    private static final List<String> BUNDLED = List.of("org.nios2s.listener.", "org.nios2s.wire.", "io.netty.");

    private final Set<String> missing;

    /** @param missing beginnings of the names of classes that are not to be had */
    public NarLoader(final String... missing) {
        this(NarLoader.class.getClassLoader(), missing);
    }

    /** @param nifi the loader of NiFi's classes */
    public NarLoader(final ClassLoader nifi, final String... missing) {
        super(nifi);
        this.missing = Set.of(missing);
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
        if (missing.stream().anyMatch(name::startsWith)) {
            throw new ClassNotFoundException(name + " is missing for the test");
        }
        synchronized (getClassLoadingLock(name)) {
            final Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            if (BUNDLED.stream().anyMatch(name::startsWith)) {
                return define(name);
            }
            return super.loadClass(name, resolve);
        }
    }

    private Class<?> define(final String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            final byte[] bytes = in.readAllBytes();
            // In the jar of the original, where our classes look for the others.
            return defineClass(
                    name,
                    bytes,
                    0,
                    bytes.length,
                    Class.forName(name, false, NarLoader.class.getClassLoader()).getProtectionDomain());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
