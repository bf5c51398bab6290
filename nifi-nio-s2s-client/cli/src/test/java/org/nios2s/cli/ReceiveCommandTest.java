// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.CliServer;
import org.nios2s.client.FailureReason;
import org.nios2s.client.ReceivedBatch;
import org.nios2s.client.ReceivedPacket;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;
import picocli.CommandLine;

/** What {@code s2s receive} does. Lives on the test's thread. */
class ReceiveCommandTest {
    @TempDir
    private Path directory;

    private CliServer server;

    @BeforeEach
    void start() throws IOException {
        server = new CliServer();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private Run receive(final String... options) {
        final String[] arguments = Stream.concat(
                        Stream.of("receive", "--quiet", directory.toString()), Stream.of(options))
                .toArray(String[]::new);
        return Run.of(server.address(), arguments);
    }

    private Set<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    private String content(final String name) throws IOException {
        return Files.readString(directory.resolve(name));
    }

    @Test
    void aFlowFileBecomesAFile() throws Exception {
        server.offer(Map.of("filename", "a.txt"), "first");
        final Run run = receive();
        assertEquals(0, run.exitCode(), run::err);
        assertEquals(List.of(directory.resolve("a.txt").toString()), run.out());
        assertEquals("first", content("a.txt"));
        assertEquals(Set.of("a.txt"), names());
        assertEquals(1, server.finishedPulls());
    }

    @Test
    void nothingIsOverwritten() throws Exception {
        Files.writeString(directory.resolve("a.txt"), "was here");
        server.offer(Map.of("filename", "a.txt"), "first");
        server.offer(Map.of("filename", "a.txt"), "second");
        final Run run = receive();
        assertEquals(0, run.exitCode(), run::err);
        assertEquals("was here", content("a.txt"));
        assertEquals("first", content("a.txt.1"));
        assertEquals("second", content("a.txt.2"));
        assertEquals(Set.of("a.txt", "a.txt.1", "a.txt.2"), names());
    }

    @Test
    void attributesAreWrittenBesideTheFileAndOverwriteNothing() throws Exception {
        Files.writeString(directory.resolve("a.txt.attributes"), "was here");
        server.offer(Map.of("filename", "a.txt", "kind", "tést"), "first");
        final Run run = receive("--attributes");
        assertEquals(0, run.exitCode(), run::err);
        assertEquals(Set.of("a.txt.attributes", "a.txt.1", "a.txt.1.attributes"), names());
        final Properties attributes = new Properties();
        attributes.load(Files.newBufferedReader(directory.resolve("a.txt.1.attributes")));
        assertEquals(Map.of("filename", "a.txt", "kind", "tést"), attributes);
        assertEquals("was here", content("a.txt.attributes"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "../",
                "a/..",
                "a\u0000b",
                "\n",
                " ..",
                "\u3000.hidden",
                "\n.hidden",
                "a\u001B[2Jb",
                "a\u009B2Jb",
                "a\u2028b",
                "a\u202Etxt.exe"
            })
    void aNameThatIsNoneIsReplaced(final String name) throws Exception {
        server.offer(Map.of("filename", name), "first");
        final Run run = receive();
        assertEquals(0, run.exitCode(), run::err);
        assertEquals(1, names().size());
        final String given = names().iterator().next();
        assertEquals("first", content(given));
        assertTrue(given.matches("[\\p{Graph}&&[^.]][\\p{Graph} ]*"), given);
    }

    @Test
    void aNameThatIsTooLongIsReplaced() throws Exception {
        server.offer(Map.of("filename", "a".repeat(300)), "letters");
        server.offer(Map.of("filename", "\u20AC".repeat(100)), "300 bytes");
        server.offer(Map.of("filename", "", "uuid", "0".repeat(300)), "its id");
        final Run run = receive("--attributes");
        assertEquals(0, run.exitCode(), run::err);
        assertEquals(6, names().size());
        assertTrue(names().stream().allMatch(name -> name.startsWith("flowfile-")), () -> run.out()
                .toString());
    }

    @Test
    void onlyTheLastPartOfTheNameCountsAndNoOtherAttribute() throws Exception {
        server.offer(Map.of("filename", "a.txt", "path", "../../", "absolute.path", "/etc/", "uuid", "../b"), "first");
        assertEquals(0, receive().exitCode());
        assertEquals(Set.of("a.txt"), names());
    }

    @Test
    void aLinkOfThatNameIsNotFollowed(@TempDir final Path elsewhere) throws Exception {
        final Path there = Files.writeString(elsewhere.resolve("there"), "was here");
        Files.createSymbolicLink(directory.resolve("a.txt"), there);
        Files.createSymbolicLink(directory.resolve("b.txt"), elsewhere.resolve("missing"));
        Files.createSymbolicLink(directory.resolve("c.txt.attributes"), elsewhere.resolve("missing"));
        for (final String name : List.of("a.txt", "b.txt", "c.txt")) {
            server.offer(Map.of("filename", name), name);
        }
        final Run run = receive("--attributes");
        assertEquals(0, run.exitCode(), run::err);
        assertEquals("was here", Files.readString(there));
        assertEquals("a.txt", content("a.txt.1"));
        assertEquals("b.txt", content("b.txt.1"));
        assertEquals("c.txt", content("c.txt.1"));
        try (Stream<Path> files = Files.list(elsewhere)) {
            assertEquals(List.of(there), files.toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"../../etc/passwd", "/etc/passwd", "C:\\etc\\passwd", "passwd"})
    void noNameLeadsOutOfTheDirectory(final String name) throws Exception {
        server.offer(Map.of("filename", name), "first");
        assertEquals(0, receive().exitCode());
        assertEquals(Set.of("passwd"), names());
    }

    @Test
    void whatIsNotConfirmedHasNoName() throws Exception {
        server.hangsUpBeforeItConfirms();
        server.offer(Map.of("filename", "a.txt"), "first");
        final Run run = receive();
        assertEquals(Outcome.FAILED.exitCode(), run.exitCode(), run::err);
        assertEquals(1, run.err().lines().count(), run::err);
        assertEquals(Set.of(), names());
        assertEquals(1, server.offered());
    }

    private static ReceivedPacket packetNamed(final String name) {
        final byte[] content = {1};
        return new ReceivedPacket(Map.of("filename", name), content.length, new ByteArrayInputStream(content));
    }

    @Test
    void aFileThatCannotGetItsNameLeavesNothingUnderIt() throws Exception {
        try (PartFiles parts = PartFiles.in(directory)) {
            final ReceivedFiles files = new ReceivedFiles(directory, parts, false);
            files.stage(packetNamed("a.txt"));
            // Somebody cleans up by hand.
            for (final String part : names()) {
                Files.delete(directory.resolve(part));
            }
            assertThrows(IOException.class, files::publish);
        }
        assertEquals(Set.of(), names());
    }

    /** A batch that is confirmed, and that NiFi may or may not forget. */
    private record LostInCompletion(Exception failure, List<ReceivedPacket> packets) implements ReceivedBatch {
        @Override
        public String peer() {
            return "node:10443";
        }

        @Override
        public String commsId() {
            return "";
        }

        @Override
        public Iterator<ReceivedPacket> iterator() {
            return packets.iterator();
        }

        @Override
        public long skipRest() {
            return 0;
        }

        @Override
        public void confirm() {
            // Both ends have the same.
        }

        @Override
        public TransactionResult complete() throws IOException {
            if (failure instanceof final IOException checked) {
                throw checked;
            }
            throw (RuntimeException) failure;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    private Run receiveLosing(final Exception failure, final String... names) throws IOException {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        final CommandLine s2s = S2s.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        final ReceiveCommand command = (ReceiveCommand) s2s.parseArgs(Stream.concat(
                                Stream.of("receive", "--attributes", directory.toString()), Stream.of(server.address()))
                        .toArray(String[]::new))
                .subcommand()
                .commandSpec()
                .userObject();
        final LostInCompletion batch = new LostInCompletion(
                failure, Stream.of(names).map(ReceiveCommandTest::packetNamed).toList());
        try (PartFiles parts = PartFiles.in(directory)) {
            assertSame(failure, assertThrows(Exception.class, () -> command.receive(batch, parts)));
        }
        return new Run(0, out.toString().lines().toList(), err.toString());
    }

    @Test
    void filesAreNamedEvenIfNiFiMayHaveKeptTheirFlowFiles() throws Exception {
        final Run run = receiveLosing(
                TransactionException.builder(TransactionStep.COMPLETE, FailureReason.CONNECTION_LOST)
                        .build(),
                "a.txt");
        assertEquals(
                Set.of(
                        directory.resolve("a.txt").toString(),
                        directory.resolve("a.txt.attributes").toString()),
                Set.copyOf(run.out()));
        assertTrue(run.err().contains("NiFi may deliver the last FlowFile again"), run::err);
        assertEquals(Set.of("a.txt", "a.txt.attributes"), names());
    }

    @Test
    void whateverFailsInTheCompletionIsSaidWithTheNumberOfFlowFiles() throws Exception {
        final Run run = receiveLosing(new IllegalStateException("a bug"), "a.txt", "b.txt", "c.txt");
        assertTrue(run.err().contains("NiFi may deliver the last 3 FlowFiles again"), run::err);
        assertEquals(6, names().size());
        assertEquals(6, run.out().size());
    }

    private Run receiveFromClusterWith(final CliServer other) throws IOException {
        return Run.of(server.addressOfClusterWith(other), "receive", "--quiet", directory.toString());
    }

    @Test
    void aNodeThatRefusedMayHaveMore() throws Exception {
        try (CliServer other = new CliServer()) {
            server.refusesThePeer("no\u001B[2J");
            other.offer(Map.of("filename", "a.txt"), "first");
            final Run run = receiveFromClusterWith(other);
            assertEquals(Outcome.FAILED.exitCode(), run.exitCode(), run::err);
            assertEquals(
                    "s2s: NiFi may have more FlowFiles on nodes that failed or refused: " + server.peer()
                            + " (UNAUTHORIZED). Run the command again to receive them",
                    run.err().strip());
            assertEquals("first", content("a.txt"));
            assertEquals(Set.of("a.txt"), names());
        }
    }

    @Test
    void aNodeThatFailedMayHaveMore() throws Exception {
        try (CliServer other = new CliServer()) {
            server.hangsUpWhenItIsAsked();
            other.offer(Map.of("filename", "a.txt"), "first");
            final Run run = receiveFromClusterWith(other);
            assertEquals(Outcome.FAILED.exitCode(), run.exitCode(), run::err);
            assertEquals(1, run.err().lines().count(), run::err);
            assertTrue(run.err().contains(server.peer()), run::err);
            assertTrue(run.err().contains("CONNECTION_LOST"), run::err);
            assertEquals(Set.of("a.txt"), names());
        }
    }

    @Test
    void aNodeThatFailedAndServedSinceHasNoMore() {
        server.hangsUpOnceWhenItIsAsked();
        final Run run = receive("--wait", "3s");
        assertEquals(0, run.exitCode(), run::err);
        assertEquals("", run.err());
    }

    @Test
    void theNextOneDeletesWhatAKilledOneLeftAndNothingBefore() throws Exception {
        server.offer(Map.of("filename", "a.txt"), "first");
        final CountDownLatch stalled = server.stallsOnceBeforeItConfirms();
        final Process killed = Run.process(server.address(), "receive", directory.toString())
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
        try {
            assertTrue(stalled.await(2, TimeUnit.MINUTES));
            assertEquals(0, receive().exitCode());
            assertEquals("first", content("a.txt"));
            assertEquals(3, names().size(), () -> "the lock and the part are in use");
        } finally {
            killed.destroyForcibly().waitFor();
        }
        assertEquals(0, receive().exitCode());
        assertEquals(Set.of("a.txt"), names());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void namesThatCanNotBePrintedLoseNothing() throws Exception {
        server.offer(Map.of("filename", "a.txt"), "first");
        final Process told = Run.process(server.address(), "receive", "--quiet", directory.toString())
                .redirectOutput(new File("/dev/full"))
                .start();
        final String err = new String(told.getErrorStream().readAllBytes());
        assertEquals(Outcome.FAILED.exitCode(), told.waitFor(), err);
        assertEquals(
                "s2s: Standard output takes no names of files: NiFi keeps the last FlowFile, and no file of theirs is left"
                        + " here. Run the command again to receive them",
                err.strip());
        assertEquals(0, server.finishedPulls());
        assertEquals(Set.of(), names());
        assertEquals(0, receive().exitCode());
        assertEquals("first", content("a.txt"));
    }

    @Test
    void nothingToReceiveIsNoFailure() throws Exception {
        final Run run = Run.of(server.address(), "receive", directory.toString());
        assertEquals(0, run.exitCode(), run::err);
        assertTrue(run.err().startsWith("0 files received"), run::err);
    }

    @Test
    void aDirectoryHasToBeThere() {
        final Path missing = directory.resolve("missing");
        final Run run = Run.of(server.address(), "receive", missing.toString());
        assertEquals(Outcome.MISTAKE.exitCode(), run.exitCode());
        assertEquals("s2s: " + missing + " is not a directory", run.err().strip());
    }
}
