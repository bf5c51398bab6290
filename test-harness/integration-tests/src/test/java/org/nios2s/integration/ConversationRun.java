// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.NifiInstance;

/**
 * Holds one conversation with one NiFi and writes down what that answers.
 * For the one thread on which it is held.
 */
final class ConversationRun {

    private static final Pattern PORT = Pattern.compile("\\$\\{port:([a-z-]+)}");
    private static final String CHECKSUM = "${checksum}";
    private static final byte[] GIVEN = "given".getBytes(StandardCharsets.US_ASCII);

    private final NifiInstance nifi;
    private final Conversation conversation;
    private final Speaker speaker;
    private final List<String> transcript = new ArrayList<>();
    private final List<String> surprises = new ArrayList<>();
    private boolean slowly;

    /**
     * @param run tells this run of the corpus from others in provenance
     */
    ConversationRun(final NifiInstance nifi, final Conversation conversation, final String run) {
        this.nifi = nifi;
        this.conversation = conversation;
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
        try (RawPeer peer = new RawPeer(nifi.instance())) {
            final Hearer hearer = new Hearer(peer, nifi.instance());
            for (final ScriptLine scripted : conversation.lines()) {
                final ScriptLine line = fill(scripted, hearer);
                if (!hold(line, peer, hearer)) {
                    break;
                }
            }
        }
        return new Result(List.copyOf(transcript), List.copyOf(surprises));
    }

    /** Returns whether the conversation goes on. */
    private boolean hold(final ScriptLine line, final RawPeer peer, final Hearer hearer) throws IOException {
        switch (line.verb()) {
            case "answer" -> {
                return note(line, hearer.answer(line.arguments().getFirst()), line.argument(1, ""));
            }
            case "closed" -> note(line, hearer.isClosed(), Hearer.CLOSED);
            case "open" -> note(line, hearer.isOpen(), "open");
            case "half-close" -> peer.halfClose();
            case "forget-checksum" -> hearer.forgetChecksum();
            case "slowly" -> slowly = true;
            case "given" -> give(Integer.parseInt(line.arguments().getFirst()));
            default -> send(line, peer);
        }
        return true;
    }

    private boolean note(final ScriptLine line, final String heard, final String expected) {
        transcript.add(line.verb() + " " + line.argument(0, "") + " → " + heard);
        if (!heard.startsWith(expected)) {
            surprises.add(line + " — but heard: " + heard);
        }
        return !heard.equals(Hearer.CLOSED) && !heard.equals(Hearer.SILENCE);
    }

    private void send(final ScriptLine line, final RawPeer peer) throws IOException {
        final byte[] bytes = speaker.say(line);
        if (bytes == null) {
            throw new IOException(conversation + ", " + line + ": there is no such verb");
        }
        try {
            if (slowly) {
                for (final byte next : bytes) {
                    peer.bytes(new byte[] {next});
                }
            } else {
                peer.bytes(bytes);
            }
        } catch (final SocketException e) {
            // The listener has left; what it said before is heard by what follows.
            slowly = false;
        }
    }

    private void give(final int flowFiles) throws IOException {
        try (RawPeer giver = RawPeer.atPort(nifi.instance(), nifi.portId("loop-in"))) {
            for (int index = 0; index < flowFiles; index++) {
                giver.push(Map.of("filename", "given-" + index), GIVEN);
            }
        }
    }

    private ScriptLine fill(final ScriptLine line, final Hearer hearer) {
        final List<String> filled = line.arguments().stream()
                .map(argument -> PORT.matcher(argument).replaceAll(this::portId))
                .map(argument -> argument.replace(CHECKSUM, hearer.checksum()))
                .toList();
        return new ScriptLine(line.number(), line.verb(), filled);
    }

    private String portId(final MatchResult port) {
        final String name = port.group(1);
        return nifi.flow()
                .find(ComponentKind.INPUT_PORT, name)
                .or(() -> nifi.flow().find(ComponentKind.OUTPUT_PORT, name))
                .orElseThrow(() -> new IllegalArgumentException("There is no port " + name))
                .id();
    }
}
