// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nullport;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * An object of one of NiFi's wide interfaces that can do the few things a listener asks of it, and refuses all others.
 * Stateless but for what its answers hold; any thread that these may run on.
 */
final class Stub implements InvocationHandler {

    private final String name;
    private final Answers answers;

    private Stub(final String name, final Answers answers) {
        this.name = name;
        this.answers = answers;
    }

    /** The methods of the object. */
    @FunctionalInterface
    interface Answers {
        /**
         * Answers a call.
         *
         * @param method    its name
         * @param arguments as given, null when there are none
         * @return the answer, {@link Stub#unknown()} when there is none
         * @throws Exception when the call is to fail
         */
        Object answer(String method, Object[] arguments) throws Exception;
    }

    private static final Object UNKNOWN = new Object();

    /**
     * Makes an object.
     *
     * @param type    its interface
     * @param name    what it calls itself
     * @param answers what it can do
     */
    static <T> T of(final Class<T> type, final String name, final Answers answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Stub(name, answers)));
    }

    /** The answer to a call that nobody expects. */
    static Object unknown() {
        return UNKNOWN;
    }

    @Override
    public Object invoke(final Object proxy, final Method method, final Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "toString":
                return name;
            case "hashCode":
                return System.identityHashCode(proxy);
            case "equals":
                return proxy == arguments[0];
            default:
                final Object answer = answers.answer(method.getName(), arguments);
                if (answer == UNKNOWN) {
                    throw new UnsupportedOperationException(name + " cannot " + method);
                }
                return answer;
        }
    }
}
