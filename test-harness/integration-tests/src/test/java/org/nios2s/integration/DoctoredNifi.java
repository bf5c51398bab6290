// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.nios2s.harness.nifi.NifiHome;
import org.nios2s.harness.nifi.NifiInstallation;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A copy of an installation in which one method of a class in a jar is missing: a NiFi as no release is.
 * For one thread.
 */
final class DoctoredNifi {
    private DoctoredNifi() {}

    /**
     * Makes one.
     *
     * @param original the {@code lib} of a NiFi
     * @param home directory of the copy
     * @param jar how the name of the jar begins that holds the class
     * @param type the class
     * @param method its method that is left out, whatever its arguments
     */
    static NifiInstallation without(
            final Path original, final Path home, final String jar, final String type, final String method)
            throws IOException {
        if (Files.exists(home)) {
            NifiHome.delete(home); // of another version, perhaps: jars of two would be in one lib
        }
        final Path lib = Files.createDirectories(home.resolve("lib"));
        for (final Path file : files(original)) {
            Files.copy(file, lib.resolve(file.getFileName()));
        }
        for (final Path file : files(lib)) {
            if (file.getFileName().toString().startsWith(jar)) {
                try (FileSystem contents = FileSystems.newFileSystem(file)) {
                    final Path classFile = contents.getPath(type.replace('.', '/') + ".class");
                    Files.write(classFile, withoutMethod(Files.readAllBytes(classFile), method));
                }
            }
        }
        return NifiInstallation.at(home);
    }

    private static List<Path> files(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private static byte[] withoutMethod(final byte[] classFile, final String method) {
        final ClassReader reader = new ClassReader(classFile);
        final ClassWriter writer = new ClassWriter(0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            final int access,
                            final String name,
                            final String descriptor,
                            final String generic,
                            final String[] exceptions) {
                        return name.equals(method)
                                ? null
                                : super.visitMethod(access, name, descriptor, generic, exceptions);
                    }
                },
                0);
        return writer.toByteArray();
    }
}
