// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** NiFi's classes, one of which differs in a member. The others are the test's own. */
public final class DoctoredLoader extends ClassLoader {
    /** What becomes of it. */
    public enum Change {
        REMOVED,
        PRIVATE
    }

    private final String[] signature;
    private final Change change;

    /** @param signature of the member, in the notation of the list */
    public DoctoredLoader(final String signature, final Change change) {
        super(DoctoredLoader.class.getClassLoader());
        this.signature = signature.split(" ");
        this.change = change;
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            final Class<?> loaded = findLoadedClass(name);
            return loaded != null
                    ? loaded
                    : name.startsWith("org.apache.nifi.") ? load(name) : super.loadClass(name, resolve);
        }
    }

    private Class<?> load(final String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            final byte[] original = in.readAllBytes();
            final byte[] bytes = name.equals(signature[1]) ? doctored(original) : original;
            return defineClass(name, bytes, 0, bytes.length);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] doctored(final byte[] original) {
        final ClassReader reader = new ClassReader(original);
        final ClassWriter writer = new ClassWriter(0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public FieldVisitor visitField(
                            final int access,
                            final String name,
                            final String type,
                            final String generic,
                            final Object value) {
                        return isMeant(name, type) && change == Change.REMOVED
                                ? null
                                : super.visitField(access(access, name, type), name, type, generic, value);
                    }

                    @Override
                    public MethodVisitor visitMethod(
                            final int access,
                            final String name,
                            final String type,
                            final String generic,
                            final String[] thrown) {
                        return isMeant(name, type) && change == Change.REMOVED
                                ? null
                                : super.visitMethod(access(access, name, type), name, type, generic, thrown);
                    }
                },
                0);
        return writer.toByteArray();
    }

    private boolean isMeant(final String name, final String type) {
        return name.equals(signature[2]) && type.equals(signature[3]);
    }

    private int access(final int access, final String name, final String type) {
        return isMeant(name, type)
                ? access & ~(Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED) | Opcodes.ACC_PRIVATE
                : access;
    }
}
