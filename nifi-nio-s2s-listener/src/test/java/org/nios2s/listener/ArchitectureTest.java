// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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

    private static final DescribedPredicate<JavaMethodCall> MAY_BLOCK =
            describe("may block", call -> BLOCKING.entrySet().stream()
                    .anyMatch(blocking -> call.getTargetOwner().isAssignableTo(blocking.getKey())
                            && blocking.getValue().contains(call.getName())));

    private static final Path SOURCES = Path.of("src", "main", "java");

    /** As the comment of a class says it, perhaps across two lines. */
    private static final Pattern ON_AN_IO_WORKER = Pattern.compile(
            "Lives\\s+(?:\\* )?on\\s+(?:\\* )?(?:the\\s+(?:\\* )?connection's|an|its)\\s+(?:\\* )?IO\\s+(?:\\* )?worker");

    private static final int FEWEST_ON_IO_WORKERS = 25;

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
                .callMethodWhere(MAY_BLOCK)
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage("java.util.concurrent.locks..", "java.nio.file..", "java.nio.channels..")
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Socket.class, InputStream.class, OutputStream.class));
    }

    @Test
    @DisplayName("a class that lives on an IO worker, as its comment says, calls nothing that blocks")
    void ioWorkers() throws IOException {
        final Set<String> names = classesOnIoWorkers();
        assertTrue(names.size() >= FEWEST_ON_IO_WORKERS, names::toString);
        check(noClasses()
                .that(describe(
                        "live on an IO worker",
                        type -> names.contains(type.getName().replaceAll("\\$.*", ""))))
                .should()
                .callMethodWhere(MAY_BLOCK));
    }

    private static Set<String> classesOnIoWorkers() throws IOException {
        final Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (final Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                if (ON_AN_IO_WORKER.matcher(Files.readString(file)).find()) {
                    final String path = SOURCES.relativize(file).toString();
                    names.add(path.replace(".java", "").replace(File.separatorChar, '.'));
                }
            }
        }
        return names;
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
