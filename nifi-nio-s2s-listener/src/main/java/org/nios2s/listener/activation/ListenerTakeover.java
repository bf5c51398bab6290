// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Function;
import org.apache.nifi.remote.RemoteSiteListener;

/**
 * Puts our stand-in for {@code SocketRemoteSiteListener} where {@code FlowController} will link to it: into the
 * framework's class loader, before the original is loaded. Lives on NiFi's main thread.
 */
final class ListenerTakeover {
    private static final String STAND_IN = "/META-INF/stand-in/SocketRemoteSiteListener.class";

    private ListenerTakeover() {}

    /**
     * Defines the stand-in and gives it the factory.
     *
     * @param factory makes the listener from the constructor's four arguments
     * @throws ReflectiveOperationException if the framework does not let us in
     * @throws IOException if our jar lacks the stand-in
     * @throws LinkageError if a class of that name is there already: activated too late
     */
    static void install(final Function<Object[], RemoteSiteListener> factory)
            throws IOException, ReflectiveOperationException {
        final MethodHandles.Lookup framework =
                MethodHandles.privateLookupIn(RemoteSiteListener.class, MethodHandles.lookup());
        final Class<?> standIn = framework.defineClass(standInBytes());
        final MethodHandle setFactory =
                framework.findStatic(standIn, "setFactory", MethodType.methodType(void.class, Function.class));
        try {
            setFactory.invoke(factory);
        } catch (final ReflectiveOperationException | RuntimeException | Error e) {
            throw e;
        } catch (final Throwable e) {
            throw new ReflectiveOperationException("The stand-in refused its factory", e);
        }
    }

    private static byte[] standInBytes() throws IOException {
        try (InputStream in = ListenerTakeover.class.getResourceAsStream(STAND_IN)) {
            if (in == null) {
                throw new IOException("The jar of the listener lacks " + STAND_IN);
            }
            return in.readAllBytes();
        }
    }
}
