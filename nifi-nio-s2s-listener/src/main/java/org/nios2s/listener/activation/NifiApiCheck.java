// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The check that this NiFi has every class, method and field to which the listener links, looked up as the JVM would link them. Any
 * thread.
 *
 * <p>A line of the list beside this class has a kind, a class, and for a member its name and descriptor. A test compares the list
 * with the references of our compiled classes.
 */
final class NifiApiCheck {
    private static final String LIST = "nifi-signatures.txt";

    private NifiApiCheck() {}

    /**
     * @param nifi a class loader that sees NiFi's classes; none of them is initialized
     * @return the lines of the list that NiFi lacks
     */
    static List<String> missing(final ClassLoader nifi) throws IOException {
        try (InputStream in = NifiApiCheck.class.getResourceAsStream(LIST)) {
            if (in == null) {
                throw new IOException("The jar of the listener lacks " + LIST);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !isThere(line.split(" "), nifi))
                    .toList();
        }
    }

    private static boolean isThere(final String[] signature, final ClassLoader nifi) {
        try {
            final Class<?> owner = Class.forName(signature[1], false, nifi);
            if (!Modifier.isPublic(owner.getModifiers())) {
                return false;
            }
            return signature[0].equals("class") || isAccessible(owner, signature, nifi);
        } catch (final ReflectiveOperationException | TypeNotPresentException | LinkageError e) {
            return false;
        }
    }

    /** @return whether we may use the member: a protected one is used in classes that extend its owner */
    private static boolean isAccessible(final Class<?> owner, final String[] signature, final ClassLoader nifi)
            throws ReflectiveOperationException {
        final MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(owner, MethodHandles.lookup());
        final String name = signature[2];
        final MethodType type = MethodType.fromMethodDescriptorString(
                signature[3].startsWith("(") ? signature[3] : "()" + signature[3], nifi);
        final MethodHandle member =
                switch (signature[0]) {
                    case "constructor" -> lookup.findConstructor(owner, type);
                    case "static" -> lookup.findStatic(owner, name, type);
                    case "field" -> lookup.findGetter(owner, name, type.returnType());
                    case "static-field" -> lookup.findStaticGetter(owner, name, type.returnType());
                    case "method", "interface" -> {
                        if (owner.isInterface() != signature[0].equals("interface")) {
                            throw new IncompatibleClassChangeError(owner.getName());
                        }
                        yield lookup.findVirtual(owner, name, type);
                    }
                    default -> throw new IllegalStateException("No kind of signature: " + signature[0]);
                };
        final int modifiers = lookup.revealDirect(member).getModifiers();
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }
}
