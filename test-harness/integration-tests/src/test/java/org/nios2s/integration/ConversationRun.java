// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.peers.TestPeer;

/**
 * Holds one conversation with one NiFi and writes down what that answers.
 * For the one thread on which it is held.
 */
final class ConversationRun {

    private static final Pattern PORT = Pattern.compile("\\$\\{port:([a-z-]+)}");
    private static final String CHECKSUM = "${checksum}";
    /** What a secured NiFi calls itself in the list of peers, see {@link SharedNifi}. */
    static final String ROUTED_HOST = "localhost";

    private static final String OWN_HOST = "127.0.0.1";
    private static final String TOLD_HOST = "${told-host}";

    private static final byte[] GIVEN = "given".getBytes(StandardCharsets.US_ASCII);

    private final NifiNode nifi;
    private final Conversation conversation;
    private final Speaker speaker;
    private final List<String> transcript = new ArrayList<>();
    private final List<String> surprises = new ArrayList<>();
    private final Map<String, String> sharedPorts;
    private final ByteArrayOutputStream unsaid = new ByteArrayOutputStream();
    private boolean slowly;
    private long spokenNanos = System.nanoTime();
    private OwnPorts own;
    private TestPeer peer;
    private Hearer hearer;
    /** The listener has closed the connection, or says nothing, or the peer has given up. */
    private boolean gone;

    /**
     * @param run tells this run of the corpus from others in provenance
     * @param sharedPorts ids of the ports that all conversations may use, by name
     */
    ConversationRun(
            final NifiNode nifi,
            final Conversation conversation,
            final String run,
            final Map<String, String> sharedPorts) {
        this.nifi = nifi;
        this.conversation = conversation;
        this.sharedPorts = sharedPorts;
        this.speaker = new Speaker(conversation.name(), run + conversation.name());
    }

    /**
     * What came of it.
     * Immutable, for any thread.
     *
     * @param transcript every answer
     * @param surprises answers that are not what the script says they are
     */
    record Result(List<String> transcript, List<String> surprises) {}

    Result hold() throws IOException {
        try {
            for (final ScriptLine scripted : conversation.lines()) {
                final ScriptLine line = fill(scripted);
                if (!prepare(line)) {
                    hold(line);
                }
            }
        } finally {
            leave();
        }
        return new Result(List.copyOf(transcript), List.copyOf(surprises));
    }

    /** Does what needs no connection, so that none grows old meanwhile; returns whether that was all. */
    private boolean prepare(final ScriptLine line) throws IOException {
        switch (line.verb()) {
            case "own" -> ownPorts(line);
            case "given" -> give(line);
            case "reconnect" -> {
                leave();
                peer = null;
                gone = false;
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void leave() throws IOException {
        if (peer != null) {
            speakUp();
            peer.close();
        }
    }

    private void hold(final ScriptLine line) throws IOException {
        if (gone) {
            // Over until the peer comes back, if it does.
            return;
        }
        if (peer == null) {
            peer = Peers.connect(nifi);
            hearer = new Hearer(peer, nifi.info());
        }
        final List<byte[]> writes = speaker.say(line);
        if (writes != null) {
            send(writes);
            return;
        }
        if ("half-close".equals(line.verb())) {
            // Otherwise it would be a race whether the listener answers what was said before it sees the end.
            peer.holdBack();
        }
        speakUp();
        switch (line.verb()) {
            case "answer" -> gone = !note(line, hearer.answer(line.arguments().getFirst()), line.argument(1, ""));
            case "closed" -> note(line, timed(line, hearer.isClosed()), Hearer.CLOSED);
            case "open" -> note(line, isClosedInstead(line) ? hearer.isClosed() : hearer.isOpen(), "open");
            case "half-close" -> peer.halfClose();
            case "forget-checksum" -> hearer.forgetChecksum();
            case "slowly" -> slowly = true;
            case "pause" -> pause(Long.parseLong(line.argument(0, "")));
            case "stop", "start", "disable", "delete", "disconnect", "empty" ->
                note(line, own.change(line.verb(), line.argument(0, ""), isDone(line)), expectedOf(line));
            case "transmitting" -> own.awaitTransmitting(line.argument(0, ""));
            case "idle" -> own.awaitIdle(line.argument(0, ""));
            default -> throw new IOException(conversation + ", " + line + ": there is no such verb");
        }
    }

    private static String expectedOf(final ScriptLine change) {
        return change.argument(1, OwnPorts.DONE);
    }

    /** Whether this NiFi makes the change. */
    private boolean isDone(final ScriptLine change) {
        return expectedOf(change).equals(OwnPorts.DONE) || isOfThisListener(change, OwnPorts.DONE);
    }

    /** The peer does nothing for a while, not even read: that is what it has to say. */
    private static void pause(final long millis) throws IOException {
        try {
            Thread.sleep(millis);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted in a pause of a conversation", e);
        }
    }

    /** Returns whether the conversation goes on. */
    private boolean note(final ScriptLine line, final String heard, final String expected) {
        transcript.add(seen(line, heard));
        if (!heard.startsWith(expected)) {
            surprises.add(line + " — but heard: " + heard);
        }
        return !heard.startsWith(Hearer.CLOSED) && !heard.equals(Hearer.SILENCE) && !heard.equals(Hearer.TORN);
    }

    private static String seen(final ScriptLine line, final String heard) {
        return line.verb() + " " + line.argument(0, "") + " → " + heard;
    }

    /** Whether this listener closes a connection that the stock one leaves open, for which it may take its time. */
    private boolean isClosedInstead(final ScriptLine line) {
        return isOfThisListener(line, Hearer.CLOSED);
    }

    /** Whether this is heard from this listener alone. */
    private boolean isOfThisListener(final ScriptLine line, final String heard) {
        return conversation.difference().alone().get(listener()).contains(seen(line, heard));
    }

    /**
     * Whether a connection was closed that the stock listener leaves open, alone of both. It has forgotten such a connection, so
     * its garbage collector closes it sooner or later: what the stock listener does was not seen then.
     */
    boolean isCollected(final Result result) {
        return listener() == Listener.STOCK
                && conversation.lines().stream()
                        .filter(line -> conversation
                                .difference()
                                .alone()
                                .get(Listener.STOCK)
                                .contains(seen(line, "open")))
                        .anyMatch(line -> result.transcript().contains(seen(line, Hearer.CLOSED)));
    }

    private Listener listener() {
        return Listener.valueOf(nifi.info().listener().toUpperCase(Locale.ROOT));
    }

    /** A connection that is closed before its time is another answer. */
    private String timed(final ScriptLine line, final String heard) {
        final Duration passed = Duration.ofNanos(System.nanoTime() - spokenNanos);
        final Duration earliest = Duration.ofMillis(Long.parseLong(line.argument(0, "0")));
        return passed.compareTo(earliest) < 0 ? "too early: " + heard : heard;
    }

    /**
     * Lines in a row are one write, which waits for the next thing that is heard or done: otherwise it would be a race how much of
     * them the listener has when it answers the first.
     */
    private void send(final List<byte[]> writes) throws IOException {
        if (!slowly && writes.size() == 1) {
            unsaid.writeBytes(writes.getFirst());
            return;
        }
        speakUp();
        for (final byte[] bytes : writes) {
            if (slowly) {
                for (final byte next : bytes) {
                    write(new byte[] {next});
                }
            } else {
                write(bytes);
            }
        }
    }

    private void speakUp() throws IOException {
        if (unsaid.size() > 0) {
            write(unsaid.toByteArray());
            unsaid.reset();
        }
    }

    private void write(final byte[] bytes) throws IOException {
        try {
            peer.say(bytes);
        } catch (final SocketException | SSLException e) {
            // The listener has left; what it said before is heard by what follows.
            slowly = false;
        }
        spokenNanos = System.nanoTime();
    }

    private void ownPorts(final ScriptLine line) {
        int fullAfter = 0;
        final List<String> prioritizers = new ArrayList<>();
        for (final String option : line.arguments()) {
            final String value = option.substring(option.indexOf('=') + 1);
            if (option.startsWith("full-after=")) {
                fullAfter = Integer.parseInt(value);
            } else {
                prioritizers.add(value);
            }
        }
        own = new OwnPorts(nifi, conversation.name(), fullAfter, prioritizers);
    }

    /** The ports that this conversation made for itself, once it is over. */
    Optional<OwnPorts> own() {
        return Optional.ofNullable(own);
    }

    private void give(final ScriptLine line) throws IOException {
        final int flowFiles = Integer.parseInt(line.arguments().getFirst());
        final List<String> further =
                line.arguments().subList(1, line.arguments().size());
        final int contentAt = further.indexOf("|");
        final byte[] content = contentAt < 0 ? GIVEN : Speaker.content(further);
        final String port = own == null ? sharedPorts.get("loop-in") : own.id(OwnPorts.IN);
        try (TestPeer giver = Peers.atPort(nifi, port)) {
            for (int index = 0; index < flowFiles; index++) {
                final Map<String, String> attributes = new LinkedHashMap<>();
                attributes.put("filename", "given-" + index);
                attributes.put("packet.id", conversation.name() + "-given");
                for (final String attribute : contentAt < 0 ? further : further.subList(0, contentAt)) {
                    final int end = attribute.indexOf('=');
                    attributes.put(attribute.substring(0, end), attribute.substring(end + 1));
                }
                giver.push(attributes, content);
            }
        }
    }

    private ScriptLine fill(final ScriptLine line) {
        final List<String> filled = line.arguments().stream()
                .map(argument -> PORT.matcher(argument).replaceAll(this::portId))
                .map(argument -> argument.replace(CHECKSUM, hearer == null ? "" : hearer.checksum())
                        .replace(TOLD_HOST, toldHost()))
                .toList();
        return new ScriptLine(line.number(), line.verb(), filled);
    }

    private String toldHost() {
        return nifi.info().security() == null ? OWN_HOST : ROUTED_HOST;
    }

    private String portId(final MatchResult port) {
        final String name = port.group(1);
        if (name.startsWith("own-")) {
            return own.id(name);
        }
        return Optional.ofNullable(sharedPorts.get(name))
                .orElseThrow(() -> new IllegalArgumentException("There is no port " + name));
    }
}
