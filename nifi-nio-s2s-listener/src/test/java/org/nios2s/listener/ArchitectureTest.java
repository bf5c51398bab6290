// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.apache.nifi.processor.ProcessSession;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The rooms of the listener, and which way the arrows between them point. Lives on the test's thread. */
@DisplayName("In the listener")
class ArchitectureTest {
    private static final String OURS = "org.nios2s.listener";
    private static final String NIFI = "org.apache.nifi..";
    private static final String[] STEPS = {OURS + ".protocol..", OURS + ".push..", OURS + ".pull.."};

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(OURS);

    private static final Map<Class<?>, Set<String>> BLOCKING = Map.of(
            Object.class, Set.of("wait"),
            Thread.class, Set.of("sleep", "join"),
            Future.class, Set.of("get", "join", "sync", "syncUninterruptibly", "await", "awaitUninterruptibly"),
            BlockingQueue.class, Set.of("take", "put"),
            CountDownLatch.class, Set.of("await"),
            Semaphore.class, Set.of("acquire", "acquireUninterruptibly"),
            InetAddress.class, Set.of("getByName", "getAllByName", "getHostName", "getLocalHost"));

    private static void check(final ArchRule rule) {
        rule.check(CLASSES);
    }

    @Test
    @DisplayName("no packages depend on each other in a circle")
    void noCircles() {
        check(slices().matching(OURS + "..(*)..").should().beFreeOfCycles());
        check(noClasses()
                .that()
                .resideOutsideOfPackages(OURS, OURS + ".activation..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(OURS, OURS + ".activation.."));
    }

    @Test
    @DisplayName("a ProcessSession is touched where transactions meet port tasks, and nowhere else")
    void sessions() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(OURS + ".port..", OURS + ".transaction..")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ProcessSession.class));
    }

    @Test
    @DisplayName("what is bounded, counted or reported knows nothing of NiFi")
    void nifi() {
        check(noClasses()
                .that()
                .resideInAnyPackage(OURS + ".limits..", OURS + ".metrics..", OURS + ".fault..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(NIFI));
    }

    @Test
    @DisplayName(
            "NiFi's key store and certificates are TLS's alone, its cluster the peer list's, its flow where ports are found")
    void nifiParts() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(OURS + ".tls..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.nifi.framework.ssl..", "org.apache.nifi.security.util.."));
        check(noClasses()
                .that()
                .resideInAnyPackage(OURS + ".push..", OURS + ".pull..", OURS + ".transaction..", OURS + ".tls..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.apache.nifi.groups..", "org.apache.nifi.remote.cluster..", "org.apache.nifi.util.."));
    }

    @Test
    @DisplayName("steps call nothing that blocks, but for the peer list, which says that it does")
    void steps() {
        check(noClasses()
                .that()
                .resideInAnyPackage(STEPS)
                .and()
                .doNotHaveSimpleName("PeerList")
                .should()
                .callMethodWhere(describe("may block", call -> BLOCKING.entrySet().stream()
                        .anyMatch(blocking -> call.getTargetOwner().isAssignableTo(blocking.getKey())
                                && blocking.getValue().contains(call.getName()))))
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage("java.util.concurrent.locks..", "java.nio.file..", "java.nio.channels..")
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Socket.class, InputStream.class, OutputStream.class));
    }

    @Test
    @DisplayName("outside of the listener nothing of ours is used but the wire format")
    void wire() {
        check(noClasses()
                .should()
                .dependOnClassesThat(resideInAPackage("org.nios2s..")
                        .and(not(resideInAnyPackage(OURS + "..", "org.nios2s.wire..")))));
    }
}
