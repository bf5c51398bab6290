// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which package of the harness may use which. Lives on the test's thread. */
class ArchitectureTest {

    private static final String ROOT = "org.nios2s.harness.";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> location.contains("/harness/target/classes/"))
            .importPackages("org.nios2s.harness");

    /** Each may use those that stand after it. */
    private static final List<String> ORDER =
            List.of("cli", "report", "analysis", "engine", "probe", "target", "nifi", "plan", "result", "load");

    static List<String> order() {
        return ORDER;
    }

    @ParameterizedTest(name = "{0} uses nothing that stands above it")
    @MethodSource("order")
    void noArrowUp(final String room) {
        final String[] above = ORDER.subList(0, ORDER.indexOf(room)).stream()
                .map(each -> ROOT + each + "..")
                .toArray(String[]::new);
        noClasses()
                .that(resideInAPackage(ROOT + room + ".."))
                .should()
                .dependOnClassesThat(resideInAnyPackage(above))
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    @DisplayName("every package has its place in the order")
    void complete() {
        final Set<String> rooms = CLASSES.stream()
                .map(each -> each.getPackageName())
                .filter(each -> each.startsWith(ROOT))
                .map(each -> each.substring(ROOT.length()).replaceAll("\\..*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(new TreeSet<>(ORDER), rooms);
    }

    @Test
    @DisplayName("the command line is known to the commands only")
    void commandLine() {
        noClasses()
                .that(resideInAPackage(ROOT + "*..").and(not(resideInAPackage(ROOT + "cli"))))
                .should()
                .dependOnClassesThat(resideInAPackage("picocli.."))
                .check(CLASSES);
    }

    @Test
    @DisplayName("the light client shares no conversation with what it measures")
    void wire() {
        noClasses()
                .that(resideInAPackage(ROOT + "load.wire"))
                .should()
                .dependOnClassesThat(resideInAnyPackage("org.nios2s.client..", "org.nios2s.listener.."))
                .check(CLASSES);
    }
}
