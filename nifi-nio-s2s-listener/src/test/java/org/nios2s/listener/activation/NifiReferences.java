// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * What compiled classes refer to in NiFi and its logging, in the notation of the list of signatures.
 * For one thread.
 */
final class NifiReferences {
    private static final int API = Opcodes.ASM9;

    /** In the framework it has the name of NiFi's, but it is ours. */
    private static final String SHIM = "org/apache/nifi/remote/SocketRemoteSiteListener";

    private final SortedSet<String> found = new TreeSet<>();
    private final Map<String, OwnClass> own = new HashMap<>();
    private final List<Reference> toOwn = new ArrayList<>();

    /** What a class of ours extends, and what it declares itself. */
    private record OwnClass(String superName, Set<String> members) {}

    private record Reference(String kind, String owner, String name, String descriptor) {}

    /** Reads every class below a directory or in a jar, in the packages that start so. */
    NifiReferences read(final Path classes, final String packagePath) throws IOException {
        if (Files.isDirectory(classes)) {
            readBelow(classes.resolve(packagePath));
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(classes)) {
                readBelow(jar.getPath("/", packagePath));
            }
        }
        return this;
    }

    SortedSet<String> found() {
        toOwn.forEach(this::inherited);
        return found;
    }

    /** A member of a class of ours may be one that it inherits from NiFi's. */
    private void inherited(final Reference reference) {
        String owner = reference.owner;
        while (own.containsKey(owner) && !own.get(owner).members.contains(reference.name + reference.descriptor)) {
            owner = own.get(owner).superName;
        }
        if (isForeign(owner)) {
            add(reference.kind, owner, reference.name, reference.descriptor);
        }
    }

    private void add(final String kind, final String owner, final String name, final String descriptor) {
        found.add(String.join(" ", kind, owner.replace('/', '.'), name, descriptor));
    }

    private void readBelow(final Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            files.filter(file -> file.toString().endsWith(".class")).forEach(file -> {
                try {
                    read(Files.readAllBytes(file));
                } catch (final IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    void read(final byte[] classFile) {
        final ClassReader reader = new ClassReader(classFile);
        reader.accept(new References(), ClassReader.SKIP_DEBUG);
        final char[] buffer = new char[reader.getMaxStringLength()];
        for (int item = 1; item < reader.getItemCount(); item++) {
            final int offset = reader.getItem(item);
            if (offset > 0 && reader.readByte(offset - 1) == ClassConstant.TAG) {
                type(Type.getObjectType(reader.readUTF8(offset, buffer)));
            }
        }
    }

    /** The entry of a constant pool that names a class. */
    private static final class ClassConstant {
        static final int TAG = 7;
    }

    private static boolean isForeign(final String internalName) {
        return !internalName.equals(SHIM)
                && (internalName.startsWith("org/apache/nifi/") || internalName.startsWith("org/slf4j/"));
    }

    private void type(final Type type) {
        final Type element = type.getSort() == Type.ARRAY ? type.getElementType() : type;
        if (element.getSort() == Type.METHOD) {
            type(element.getReturnType());
            Stream.of(element.getArgumentTypes()).forEach(this::type);
        } else if (element.getSort() == Type.OBJECT && isForeign(element.getInternalName())) {
            found.add("class " + element.getClassName());
        }
    }

    private void member(final String kind, final String owner, final String name, final String descriptor) {
        type(Type.getType(descriptor));
        if (isForeign(owner)) {
            add(kind, owner, name, descriptor);
        } else {
            toOwn.add(new Reference(kind, owner, name, descriptor));
        }
    }

    private void method(
            final int opcode, final String owner, final String name, final String descriptor, final boolean itf) {
        final String kind = name.equals("<init>")
                ? "constructor"
                : opcode == Opcodes.INVOKESTATIC ? "static" : itf ? "interface" : "method";
        member(kind, owner, name, descriptor);
    }

    private void handle(final Handle handle) {
        if (handle.getTag() > Opcodes.H_PUTSTATIC) {
            final int opcode = handle.getTag() == Opcodes.H_INVOKESTATIC ? Opcodes.INVOKESTATIC : Opcodes.INVOKEVIRTUAL;
            method(opcode, handle.getOwner(), handle.getName(), handle.getDesc(), handle.isInterface());
        }
    }

    /** Everything that a class refers to. */
    private final class References extends ClassVisitor {
        private final Set<String> members = new HashSet<>();

        References() {
            super(API);
        }

        @Override
        public void visit(
                final int version,
                final int access,
                final String name,
                final String generic,
                final String superName,
                final String[] interfaces) {
            own.put(name, new OwnClass(superName, members));
        }

        @Override
        public FieldVisitor visitField(
                final int access,
                final String name,
                final String descriptor,
                final String generic,
                final Object value) {
            members.add(name + descriptor);
            type(Type.getType(descriptor));
            return null;
        }

        @Override
        public MethodVisitor visitMethod(
                final int access,
                final String name,
                final String descriptor,
                final String generic,
                final String[] exceptions) {
            members.add(name + descriptor);
            type(Type.getType(descriptor));
            return new MethodVisitor(API) {
                @Override
                public void visitMethodInsn(
                        final int opcode,
                        final String owner,
                        final String called,
                        final String calledDescriptor,
                        final boolean itf) {
                    method(opcode, owner, called, calledDescriptor, itf);
                }

                @Override
                public void visitFieldInsn(
                        final int opcode, final String owner, final String field, final String fieldDescriptor) {
                    final boolean isStatic = opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC;
                    member(isStatic ? "static-field" : "field", owner, field, fieldDescriptor);
                }

                @Override
                public void visitInvokeDynamicInsn(
                        final String called,
                        final String calledDescriptor,
                        final Handle bootstrap,
                        final Object... arguments) {
                    type(Type.getMethodType(calledDescriptor));
                    for (final Object argument : arguments) {
                        if (argument instanceof final Handle argumentHandle) {
                            handle(argumentHandle);
                        } else if (argument instanceof final Type argumentType) {
                            type(argumentType);
                        }
                    }
                }
            };
        }
    }
}
