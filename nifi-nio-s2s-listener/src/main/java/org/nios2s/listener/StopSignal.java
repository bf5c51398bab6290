// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.nios2s.listener.fault.Guarded;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a task when the process is told to end (SIGTERM), before it does. The task runs on the JVM's thread for the signal.
 *
 * <p>NiFi stops its ports first and its site listeners last, so a listener that is stopped can't let transactions end any more. And
 * what runs in a shutdown hook runs beside NiFi's own. Only before the hooks there is time. The signal's former handler, most
 * often the JVM's, is in its place again as soon as the signal has come: it goes on from there, and a second signal ends the process
 * at once.
 *
 * <p>{@code sun.misc.Signal} is an API that Java supports in the module {@code jdk.unsupported}; the compiler warns of it, so it is
 * reached by reflection.
 */
final class StopSignal implements InvocationHandler, AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(StopSignal.class);

    private final Guarded.Task task;
    private Object signal;
    private Object former;
    private boolean isClosed;
    private Method handle;
    private Method receive;
    private Object own;

    private StopSignal(final Guarded.Task task) {
        this.task = task;
    }

    /** @return what is to be closed when nothing is to be done any more; if signals can't be had, that is a WARN and no more */
    static StopSignal before(final Guarded.Task task) {
        final StopSignal created = new StopSignal(task);
        try {
            created.install();
        } catch (final ReflectiveOperationException | RuntimeException e) {
            logger.warn(
                    "The NIO Site-to-Site listener can't drain before a stop, since this Java does not tell it of SIGTERM: {}",
                    reason(e));
        }
        return created;
    }

    /** A reflective call wraps what the called method has thrown. */
    private static String reason(final Exception thrown) {
        if (thrown instanceof InvocationTargetException && thrown.getCause() != null) {
            return thrown.getCause().toString();
        }
        return thrown.toString();
    }

    private synchronized void install() throws ReflectiveOperationException {
        final Class<?> signalType = Class.forName("sun.misc.Signal");
        final Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
        handle = signalType.getMethod("handle", signalType, handlerType);
        receive = handlerType.getMethod("handle", signalType);
        signal = signalType.getConstructor(String.class).newInstance("TERM");
        own = Proxy.newProxyInstance(StopSignal.class.getClassLoader(), new Class<?>[] {handlerType}, this);
        former = handle.invoke(null, signal, own);
    }

    @Override
    public Object invoke(final Object proxy, final Method method, final Object[] arguments)
            throws ReflectiveOperationException {
        if (!method.equals(receive)) {
            return method.invoke(this, arguments);
        }
        if (restore()) {
            Guarded.run("The drain before a stop", task);
        }
        // Also where this is a second signal, or the listener has stopped: the process is to end in any case.
        receive.invoke(former, arguments[0]);
        return null;
    }

    @Override
    public void close() {
        restore();
    }

    /** Puts the former handler back, unless somebody else has taken the signal since; returns whether it was not back yet. */
    private synchronized boolean restore() {
        if (isClosed || former == null) {
            return false;
        }
        isClosed = true;
        Guarded.run("Giving SIGTERM back", () -> {
            final Object replaced = handle.invoke(null, signal, former);
            if (replaced != own) {
                handle.invoke(null, signal, replaced);
            }
        });
        return true;
    }
}
