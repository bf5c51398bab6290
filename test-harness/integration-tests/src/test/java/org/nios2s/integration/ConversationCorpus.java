// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reads the corpus of conversations and expands its shorthands into single utterances.
 * For one thread.
 */
final class ConversationCorpus {

    static final Path DIRECTORY = Path.of("src", "test", "resources", "conversations");

    private static final String TITLE = "== ";
    private static final String DEFAULT_VERSION = "v6";

    private final List<Conversation> conversations = new ArrayList<>();
    private final Set<String> names = new HashSet<>();

    private String name;
    private Optional<String> difference = Optional.empty();
    private List<ScriptLine> lines = new ArrayList<>();

    private ConversationCorpus() {}

    /** Every conversation of every file of the corpus. */
    static List<Conversation> read() throws IOException {
        final ConversationCorpus corpus = new ConversationCorpus();
        final List<Path> files;
        try (Stream<Path> found = Files.list(DIRECTORY)) {
            files = found.filter(file -> file.toString().endsWith(".txt"))
                    .sorted()
                    .toList();
        }
        for (final Path file : files) {
            corpus.read(file);
        }
        return corpus.conversations;
    }

    private void read(final Path file) throws IOException {
        final List<String> text = Files.readAllLines(file);
        for (int index = 0; index < text.size(); index++) {
            final String line = text.get(index).strip();
            if (line.startsWith(TITLE)) {
                end();
                name = line.substring(TITLE.length()).strip();
                if (!names.add(name)) {
                    throw new IOException(file + " has a second conversation " + name);
                }
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                if (name == null) {
                    throw new IOException(file + " has a line before its first conversation: " + line);
                }
                add(ScriptLine.parse(index + 1, line));
            }
        }
        end();
    }

    private void end() {
        if (name != null) {
            conversations.add(new Conversation(name, difference, List.copyOf(lines)));
        }
        name = null;
        difference = Optional.empty();
        lines = new ArrayList<>();
    }

    private void add(final ScriptLine line) {
        switch (line.verb()) {
            case "difference" -> difference = Optional.of(line.arguments().getFirst());
            case "handshake" -> handshake(line);
            case "at" -> {
                handshake(line);
                say(line, "answer", "response", "PROPERTIES_OK");
                say(line, "request", "NEGOTIATE_FLOWFILE_CODEC");
                say(line, "codec");
                say(line, "answer", "byte", "20");
            }
            case "push" -> {
                say(line, "request", "SEND_FLOWFILES");
                say(line, "packet", line.arguments().toArray(String[]::new));
                say(line, "response", "FINISH_TRANSACTION");
                say(line, "answer", "response", "CONFIRM_TRANSACTION");
                say(line, "response", "CONFIRM_TRANSACTION");
                say(line, "answer", "response", "TRANSACTION_FINISHED");
            }
            default -> lines.add(line);
        }
    }

    /** Everything up to the properties: port, version and further properties are the arguments. */
    private void handshake(final ScriptLine line) {
        final String port = line.arguments().getFirst();
        final List<String> further =
                new ArrayList<>(line.arguments().subList(1, line.arguments().size()));
        final String version =
                !further.isEmpty() && further.getFirst().matches("v\\d+") ? further.removeFirst() : DEFAULT_VERSION;
        final List<String> properties = new ArrayList<>(List.of(version));
        if (further.stream().noneMatch(property -> property.startsWith("GZIP="))) {
            properties.add("GZIP=false");
        }
        if (further.stream().noneMatch(property -> property.startsWith("REQUEST_EXPIRATION_MILLIS="))) {
            properties.add("REQUEST_EXPIRATION_MILLIS=30000");
        }
        if (!port.equals("none")) {
            properties.add("PORT_IDENTIFIER=${port:" + port + "}");
        }
        properties.addAll(further);
        say(line, "magic");
        say(line, "protocol", version.substring(1));
        say(line, "answer", "byte", "20");
        say(line, "properties", properties.toArray(String[]::new));
    }

    private void say(final ScriptLine origin, final String verb, final String... arguments) {
        lines.add(new ScriptLine(origin.number(), verb, List.of(arguments)));
    }
}
