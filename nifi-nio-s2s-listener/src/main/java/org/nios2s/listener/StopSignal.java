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
 * A handler of SIGTERM that runs a task before the process begins to end. The task runs on the JVM's thread for the signal.
 *
 * <p>When NiFi stops its site listeners, it has stopped its ports already, and no transaction can end any more. A shutdown hook would
 * run beside NiFi's own hook. So the only time to drain is before the hooks. When the signal has come, its previous handler, most
 * often the JVM's, is restored and called: the shutdown continues, and a second signal ends the process at once.
 *
 * <p>{@code sun.misc.Signal} is an API that Java supports in the module {@code jdk.unsupported}. The compiler warns of it, so it is
 * called by reflection.
 */
final class StopSignal implements InvocationHandler, AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(StopSignal.class);

    private final Guarded.Task task;
    private Object signal;
    private Object previous;
    private boolean isClosed;
    private Method handle;
    private Method receive;
    private Object own;

    private StopSignal(final Guarded.Task task) {
        this.task = task;
    }

    /** @return a handler, to be closed when the task is not to run any more. Where signals can't be handled, a WARN says so */
    static StopSignal before(final Guarded.Task task) {
        final StopSignal created = new StopSignal(task);
        try {
            created.install();
        } catch (final ReflectiveOperationException | RuntimeException e) {
            logger.warn(
                    "The NIO Site-to-Site listener can't drain before a stop, since this Java does not pass SIGTERM on: {}. If"
                            + " bootstrap.conf has the option -Xrs, remove it; otherwise drain by hand before each stop",
                    reason(e));
        }
        return created;
    }

    /** Unwraps the exception of a reflective call. */
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
        previous = handle.invoke(null, signal, own);
    }

    @Override
    public Object invoke(final Object proxy, final Method method, final Object[] arguments)
            throws ReflectiveOperationException {
        if (!method.equals(receive)) {
            return method.invoke(this, arguments);
        }
        if (restore()) {
            Guarded.run("Draining before the stop", task);
        }
        // Also for a second signal, or when the listener has stopped: the process has to end in any case.
        receive.invoke(previous, arguments[0]);
        return null;
    }

    @Override
    public void close() {
        restore();
    }

    /** Restores the previous handler, unless another one was installed since; returns whether this call did it. */
    private synchronized boolean restore() {
        if (isClosed || previous == null) {
            return false;
        }
        isClosed = true;
        Guarded.run("Restoring the handler of SIGTERM", () -> {
            final Object replaced = handle.invoke(null, signal, previous);
            if (replaced != own) {
                handle.invoke(null, signal, replaced);
            }
        });
        return true;
    }
}
