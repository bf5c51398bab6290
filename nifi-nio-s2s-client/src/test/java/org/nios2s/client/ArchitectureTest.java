// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The rooms of the client, and which way the arrows between them point. Lives on the test's thread. */
@DisplayName("In the client")
class ArchitectureTest {
    private static final String API = "org.nios2s.client";
    private static final String INTERNAL = API + ".internal";
    private static final String CALL = INTERNAL + ".call..";
    private static final String SITE = INTERNAL + ".site..";
    private static final String TRANSACTION = INTERNAL + ".transaction..";
    private static final String CONNECTION = INTERNAL + ".connection..";
    private static final String NETTY = "io.netty..";

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(API);

    private static void check(final ArchRule rule) {
        rule.check(CLASSES);
    }

    private static void mayNotKnow(final String room, final String... others) {
        check(noClasses().that().resideInAPackage(room).should().dependOnClassesThat(resideInAnyPackage(others)));
    }

    @Test
    @DisplayName("no packages depend on each other in a circle")
    void noCircles() {
        check(slices().matching(INTERNAL + ".(*)..").should().beFreeOfCycles());
        // What stands behind the API knows its values and interfaces; the other way there are three doors, see below.
    }

    @Test
    @DisplayName("no classes depend on each other in a circle, nested ones counted as parts of theirs")
    void noCirclesOfClasses() {
        check(slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(final JavaClass type) {
                        return SliceIdentifier.of(type.getName().replaceFirst("\\$.*", ""));
                    }

                    @Override
                    public String getDescription() {
                        return "a slice for each class";
                    }
                })
                .should()
                .beFreeOfCycles());
    }

    @Test
    @DisplayName("a call makes attempts, an attempt makes exchanges on a connection, and none knows who is above it")
    void oneDirection() {
        mayNotKnow(CALL, INTERNAL);
        mayNotKnow(SITE, INTERNAL, CALL);
        mayNotKnow(TRANSACTION, INTERNAL, CALL, SITE);
        mayNotKnow(CONNECTION, INTERNAL, CALL, SITE, TRANSACTION);
    }

    @Test
    @DisplayName(
            "the API leads inside by three doors: the builder of a client, that of TLS, and the content of a packet")
    void doors() {
        check(noClasses()
                .that(resideInAPackage(API)
                        .and(not(named("NioSiteToSite", "TlsContext").or(simpleName("Packet")))))
                .should()
                .dependOnClassesThat(resideInAnyPackage(INTERNAL + "..")));
        check(noClasses()
                .that(resideInAPackage(API))
                .should()
                .dependOnClassesThat(resideInAnyPackage(INTERNAL + "..")
                        .and(not(named("SiteToSiteBuilder", "NettyTls")))
                        .and(not(describe(
                                "the content of packets", type -> type.getName().contains("PacketContent"))))));
    }

    private static DescribedPredicate<JavaClass> named(final String one, final String other) {
        return simpleName(one).or(simpleName(other));
    }

    @Test
    @DisplayName("the API names no class of Netty but the event loops that may be shared, and none of NiFi")
    void libraries() {
        check(noClasses()
                .that(resideInAPackage(API).and(not(named("SiteToSite", "Builder"))))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(NETTY, "org.apache.nifi.."));
        check(noClasses()
                .that()
                .resideInAPackage(API)
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage(NETTY, "org.apache.nifi..").and(not(simpleName("EventLoopGroup")))));
    }

    @Test
    @DisplayName("what is inside stands in no signature of what users see")
    void signatures() {
        check(classes()
                .that(resideInAPackage(API)
                        .and(describe("public", type -> type.getModifiers().contains(JavaModifier.PUBLIC))))
                .should(nameNothingInside()));
    }

    private static ArchCondition<JavaClass> nameNothingInside() {
        return new ArchCondition<>("name nothing inside in what users can call") {
            @Override
            public void check(final JavaClass type, final ConditionEvents events) {
                type.getCodeUnits().stream()
                        .filter(ArchitectureTest::isVisible)
                        .filter(unit -> Stream.concat(
                                        Stream.of(unit.getRawReturnType()), unit.getRawParameterTypes().stream())
                                .anyMatch(resideInAPackage(INTERNAL + "..")))
                        .forEach(unit -> events.add(SimpleConditionEvent.violated(unit, unit.getDescription())));
            }
        };
    }

    private static boolean isVisible(final JavaCodeUnit unit) {
        return unit.getModifiers().contains(JavaModifier.PUBLIC)
                || unit.getModifiers().contains(JavaModifier.PROTECTED);
    }

    @Test
    @DisplayName("nothing needs a library of NiFi's")
    void nifi() {
        check(noClasses().should().dependOnClassesThat().resideInAPackage("org.apache.nifi.."));
    }
}
