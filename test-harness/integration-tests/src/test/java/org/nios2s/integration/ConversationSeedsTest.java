// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The listener's fuzz test begins with the conversations of the corpus: what the peer says in each, in one line of a file.
 * {@code -Dseeds.write=true} rewrites that file. Runs on the thread of the tests.
 */
@EnabledIfSystemProperty(named = "seeds.write", matches = "true")
class ConversationSeedsTest {

    private static final Path SEEDS =
            Path.of("..", "..", "nifi-nio-s2s-listener", "src", "test", "resources", "conversation-seeds.txt");

    /** Longer ones are too slow to be varied. */
    private static final int MAX_BYTES = 4_096;

    private static final int FEWEST = 300;

    private static final Pattern PORT = Pattern.compile("\\$\\{port:([a-z-]+)}");
    private static final Set<String> OUTPUT_PORTS = Set.of("loop-out", "aside");
    private static final Set<String> NO_PORTS = Set.of("stopped", "disabled", "unconnected", "full");

    @Test
    void writesTheSeeds() throws IOException {
        final List<String> seeds = new ArrayList<>();
        for (final Conversation conversation : ConversationCorpus.read("")) {
            final byte[] said = said(conversation);
            if (said.length <= MAX_BYTES) {
                seeds.add(conversation.name() + " " + HexFormat.of().formatHex(said));
            }
        }
        Files.write(SEEDS, seeds);
        assertTrue(seeds.size() > FEWEST, () -> seeds.size() + " conversations only");
    }

    private static byte[] said(final Conversation conversation) throws IOException {
        final ByteArrayOutputStream said = new ByteArrayOutputStream();
        final Speaker speaker = new Speaker(conversation.name(), "nifi://corpus:1234/");
        for (final ScriptLine line : conversation.lines()) {
            final List<String> arguments =
                    line.arguments().stream().map(ConversationSeedsTest::fill).toList();
            final List<byte[]> writes = speaker.say(new ScriptLine(line.number(), line.verb(), arguments));
            if (writes != null) {
                writes.forEach(said::writeBytes);
            }
        }
        return said.toByteArray();
    }

    private static String fill(final String argument) {
        return PORT.matcher(argument)
                .replaceAll(port -> OUTPUT_PORTS.contains(port.group(1))
                        ? "output"
                        : NO_PORTS.contains(port.group(1)) ? "none" : "input")
                .replace("${checksum}", "0");
    }
}
