// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

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
    @DisplayName("the wire format depends on nothing else of ours")
    void wireAlone() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAPackage("org.nios2s..").and(not(resideInAPackage("org.nios2s.wire.."))))
                .check(CLASSES);
    }
}
