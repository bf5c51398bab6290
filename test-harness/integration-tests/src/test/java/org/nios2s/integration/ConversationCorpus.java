// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.nios2s.harness.nifi.Listener;

/**
 * Reads the corpus of conversations and expands its shorthands into single utterances.
 * For one thread.
 */
final class ConversationCorpus {

    static final Path DIRECTORY = Path.of("src", "test", "resources", "conversations");

    private static final String TITLE = "== ";
    /** In a title: one conversation for each of these versions; elsewhere the version stands for {@link #VERSION}. */
    private static final Pattern VERSIONS = Pattern.compile("\\{v((?: ?\\d)+)}");

    private static final String VERSION = "{v}";
    private static final String DEFAULT_VERSION = "v6";
    private static final int FIRST_VERSION_WITH_TRANSIT_URI = 3;

    private final List<Conversation> conversations = new ArrayList<>();
    private final Set<String> names = new HashSet<>();

    private String name;
    private Optional<String> difference = Optional.empty();
    private int events;
    private Map<Listener, List<String>> alone = nothingAlone();
    private Optional<String> differenceOverTls = Optional.empty();
    private Optional<String> differsOverTlsSince = Optional.empty();
    private Map<Listener, List<String>> aloneOverTls = nothingAlone();
    private List<ScriptLine> lines = new ArrayList<>();

    private ConversationCorpus() {}

    /** The conversations of all files of the corpus in whose name a pattern is found. */
    static List<Conversation> read(final String pattern) throws IOException {
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
        final Predicate<String> wanted = Pattern.compile(pattern).asPredicate();
        return corpus.conversations.stream()
                .filter(found -> wanted.test(found.name()))
                .toList();
    }

    private void read(final Path file) throws IOException {
        final List<String> text = Files.readAllLines(file);
        int title = 0;
        for (int index = 0; index <= text.size(); index++) {
            if (index == text.size() || text.get(index).startsWith(TITLE)) {
                readConversations(file, text, title, index);
                title = index;
            }
        }
    }

    /** Reads the lines from a title to the next one: one conversation, or one for each version in the title. */
    private void readConversations(final Path file, final List<String> text, final int title, final int next)
            throws IOException {
        final Matcher versions = VERSIONS.matcher(text.get(title));
        if (!versions.find()) {
            readConversation(file, text.subList(title, next), title);
            return;
        }
        for (final String version : versions.group(1).split(" ")) {
            final List<String> ofVersion = text.subList(title, next).stream()
                    .map(line -> VERSIONS.matcher(line).replaceAll(version).replace(VERSION, version))
                    .toList();
            readConversation(file, ofVersion, title);
        }
    }

    private void readConversation(final Path file, final List<String> text, final int title) throws IOException {
        for (int index = 0; index < text.size(); index++) {
            final String line = text.get(index).strip();
            if (line.startsWith(TITLE)) {
                name = line.substring(TITLE.length()).strip();
                if (!names.add(name)) {
                    throw new IOException(file + " has a second conversation " + name);
                }
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                if (name == null) {
                    throw new IOException(file + " has a line before its first conversation: " + line);
                }
                add(ScriptLine.parse(title + index + 1, line));
            }
        }
        end();
    }

    private void end() {
        if (name != null) {
            conversations.add(new Conversation(
                    name,
                    events,
                    new Conversation.Difference(difference, Optional.empty(), Map.copyOf(alone)),
                    new Conversation.Difference(differenceOverTls, differsOverTlsSince, Map.copyOf(aloneOverTls)),
                    List.copyOf(lines)));
        }
        name = null;
        difference = Optional.empty();
        events = 0;
        alone = nothingAlone();
        differenceOverTls = Optional.empty();
        differsOverTlsSince = Optional.empty();
        aloneOverTls = nothingAlone();
        lines = new ArrayList<>();
    }

    private static Map<Listener, List<String>> nothingAlone() {
        final Map<Listener, List<String>> nothing = new EnumMap<>(Listener.class);
        for (final Listener listener : Listener.values()) {
            nothing.put(listener, new ArrayList<>());
        }
        return nothing;
    }

    private void add(final ScriptLine line) {
        switch (line.verb()) {
            case "difference" -> difference = Optional.of(line.arguments().getFirst());
            case "events" -> events = Integer.parseInt(line.arguments().getFirst());
            case "stock" -> alone.get(Listener.STOCK).add(line.arguments().getFirst());
            case "ours" -> alone.get(Listener.NIO).add(line.arguments().getFirst());
            case "tls-difference" -> {
                differenceOverTls = Optional.of(line.arguments().getFirst());
                differsOverTlsSince = line.arguments().stream().skip(1).findFirst();
            }
            case "tls-stock" ->
                aloneOverTls.get(Listener.STOCK).add(line.arguments().getFirst());
            case "tls-ours" ->
                aloneOverTls.get(Listener.NIO).add(line.arguments().getFirst());
            case "minifi" -> minifi(line);
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

    /**
     * What MiNiFi C++ says until it is ready, in the writes in which it says it: port, version and further properties are
     * the arguments.
     */
    private void minifi(final ScriptLine line) {
        final int version = Integer.parseInt(line.argument(1, "v5").substring(1));
        final SortedMap<String, String> properties = new TreeMap<>();
        properties.put("GZIP", "false");
        properties.put("PORT_IDENTIFIER", "${port:" + line.arguments().getFirst() + "}");
        properties.put("REQUEST_EXPIRATION_MILLIS", "30000");
        for (final String property : line.arguments()
                .subList(Math.min(2, line.arguments().size()), line.arguments().size())) {
            final int end = property.indexOf('=');
            properties.put(property.substring(0, end), property.substring(end + 1));
        }
        say(line, "magic");
        say(line, "split-utf", "SocketFlowFileProtocol");
        say(line, "int", String.valueOf(version));
        say(line, "answer", "byte", "20");
        say(line, "split-utf", "${conversation}");
        if (version >= FIRST_VERSION_WITH_TRANSIT_URI) {
            say(line, "split-utf", "${transit-uri}");
        }
        say(line, "int", String.valueOf(properties.size()));
        properties.forEach((name, value) -> {
            say(line, "split-utf", name);
            say(line, "split-utf", value);
        });
        say(line, "answer", "response", "PROPERTIES_OK");
        say(line, "split-utf", "NEGOTIATE_FLOWFILE_CODEC");
        say(line, "split-utf", "StandardFlowFileCodec");
        say(line, "int", "1");
        say(line, "answer", "byte", "20");
    }

    private void say(final ScriptLine origin, final String verb, final String... arguments) {
        lines.add(new ScriptLine(origin.number(), verb, List.of(arguments)));
    }
}
