// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the wire format may use. Lives on the test's thread. */
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.nios2s.wire");

    @Test
    @DisplayName("the wire format uses Netty's buffers, and nothing else")
    void wireAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("java..", "io.netty.buffer..", "io.netty.util..", "org.nios2s.wire.."))
                .check(CLASSES);
    }
}
