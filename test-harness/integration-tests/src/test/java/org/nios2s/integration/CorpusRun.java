// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.ProvenanceClient;
import org.nios2s.harness.nifi.QueueClient;
import org.nios2s.harness.nifi.QueuedFlowFile;
import org.nios2s.peers.Message;

/**
 * All conversations of the corpus, held with one NiFi: those that look at queues one after another, the others a few at
 * a time.
 * Held on the thread that asks for it and a few of its own; read when it is over.
 */
final class CorpusRun {

    /** Fewer than a port's tasks: in the stock listener a conversation holds one. */
    private static final int AT_ONCE = 3;

    /** Conversations at ports of their own, most of which wait for something to time out. */
    private static final int ALONE_AT_ONCE = 6;

    /** How often a conversation is repeated whose connection the stock listener's garbage collector has closed. */
    private static final int COLLECTED_AT_MOST = 5;

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String ID_FILE = "fidelity.ids";
    private static final String RUNS = "nifi://run-" + UUID.randomUUID() + "/";
    private static final String PACKET_ID = "packet.id";
    private static final String EVENT = "provenance has ";

    private final NifiNode nifi;
    private final List<Conversation> conversations;
    private final Map<String, Observation> observations = new ConcurrentHashMap<>();
    private final Map<String, Component> queues = new LinkedHashMap<>();
    private final Map<String, String> sharedPorts = new HashMap<>();
    private final Instant begin = Instant.now();
    private Map<String, List<String>> provenance = Map.of();

    CorpusRun(final NifiNode nifi, final List<Conversation> conversations) throws IOException {
        this.nifi = nifi;
        this.conversations = conversations;
        final SideFlow side = SideFlow.of(nifi);
        queues.put("loop", SharedNifi.loop(nifi));
        queues.put(SideFlow.NARROW, side.queue(SideFlow.NARROW));
        sharedPorts.putAll(nifi.info().ports());
        sharedPorts.putAll(side.ids());
    }

    /** Holds all conversations. */
    void hold() throws Exception {
        final Path ids = nifi.keepPacketIds(ID_FILE);
        Files.write(ids, new byte[0]);
        queues.values().forEach(queue -> nifi.flow().empty(queue));
        final List<Future<?>> held = new ArrayList<>();
        try (ExecutorService inParallel = Executors.newFixedThreadPool(AT_ONCE);
                ExecutorService alone = Executors.newFixedThreadPool(ALONE_AT_ONCE);
                ExecutorService oneByOne = Executors.newSingleThreadExecutor()) {
            for (final Conversation conversation : conversations) {
                if (conversation.hasPortsOfItsOwn()) {
                    held.add(alone.submit(() -> hold(conversation)));
                } else {
                    held.add(
                            conversation.needsTheQueues()
                                    ? oneByOne.submit(() -> holdAndLookIntoQueues(conversation))
                                    : inParallel.submit(() -> hold(conversation)));
                }
            }
            for (final Future<?> conversation : held) {
                conversation.get();
            }
        }
        enterLedger(ids);
    }

    /** Everything that a conversation brought about. */
    Observation of(final Conversation conversation) {
        return observations.get(conversation.name()).and(provenance.getOrDefault(conversation.name(), List.of()));
    }

    /** How many provenance events a conversation left behind. */
    int events(final Conversation conversation) {
        return provenance.getOrDefault(conversation.name(), List.of()).size();
    }

    private Void hold(final Conversation conversation) {
        ConversationRun run = new ConversationRun(nifi, conversation, RUNS, sharedPorts);
        try {
            ConversationRun.Result result = run.hold();
            for (int again = 0; again < COLLECTED_AT_MOST && run.isCollected(result); again++) {
                run = new ConversationRun(nifi, conversation, RUNS, sharedPorts);
                result = run.hold();
            }
            Observation seen = new Observation(result.transcript(), result.surprises());
            if (run.own().isPresent()) {
                final OwnPorts own = run.own().get();
                if (own.isConnected()) {
                    seen = seen.and(settledContent("own", own.queue()));
                }
                seen = seen.and(own.told());
            }
            observations.put(conversation.name(), seen);
        } catch (final IOException | RuntimeException e) {
            final String failure = "cannot be held: " + e;
            observations.put(conversation.name(), new Observation(List.of(failure), List.of(failure)));
        } finally {
            run.own().ifPresent(OwnPorts::remove);
        }
        return null;
    }

    private Void holdAndLookIntoQueues(final Conversation conversation) {
        hold(conversation);
        queues.forEach((name, queue) -> {
            final List<String> content = settledContent(name, queue);
            observations.compute(conversation.name(), (key, seen) -> seen.and(content));
            if (!content.isEmpty()) {
                nifi.flow().empty(queue);
            }
        });
        return null;
    }

    /**
     * What is in a queue when nobody has taken FlowFiles from it without giving them back, sorted: a queue without
     * prioritizers is in the order of content claims, and which claim a session writes to is NiFi's to choose.
     */
    private List<String> settledContent(final String name, final Component queue) {
        final QueueClient client = new QueueClient(nifi.rest());
        // Contents are read behind the wait: a busy machine needs long for a large one.
        return Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> client.list(queue), listed -> client.size(queue).flowFiles() == listed.size())
                .stream()
                .map(flowFile -> "queue " + name + " has " + describe(queue, flowFile))
                .sorted()
                .toList();
    }

    private String describe(final Component queue, final QueuedFlowFile flowFile) {
        // An empty content cannot be read over the REST API.
        final byte[] content =
                flowFile.size() == 0 ? new byte[0] : new QueueClient(nifi.rest()).content(queue, flowFile);
        return Hearer.attributes(new QueueClient(nifi.rest()).attributes(queue, flowFile)) + " "
                + Hearer.content(content);
    }

    private void enterLedger(final Path ids) throws IOException {
        final Component toSink = nifi.flow()
                .findConnection(
                        SharedNifi.inputPort(nifi, "input"),
                        nifi.flow().find(ComponentKind.PROCESSOR, "sink").orElseThrow())
                .orElseThrow();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> new QueueClient(nifi.rest()).size(toSink).flowFiles() == 0);
        // The ids of what was acknowledged last are in the file when the sink has stopped.
        nifi.dropPacketIds();
        final List<String> lines = Files.readAllLines(ids);
        for (final Conversation conversation : conversations) {
            final List<String> own = lines.stream()
                    .filter(id -> id.matches("\\Q" + conversation.name() + "\\E-\\d+"))
                    .sorted()
                    .map(id -> "ledger has " + id)
                    .toList();
            observations.compute(conversation.name(), (key, seen) -> seen.and(own));
        }
    }

    /** Reads provenance, which is indexed a while after the fact. */
    void readProvenance() {
        final Map<String, List<String>> events = new TreeMap<>();
        for (final String type : List.of("RECEIVE", "SEND")) {
            for (final JsonNode event : new ProvenanceClient(nifi.rest()).events(Map.of("EventType", type), begin)) {
                final Map<String, String> attributes = attributes(event);
                final String conversation =
                        conversation(event.path("transitUri").asText(""), attributes.getOrDefault(PACKET_ID, ""));
                events.computeIfAbsent(conversation, key -> new ArrayList<>()).add(describe(event, attributes));
            }
        }
        events.values().forEach(of -> of.sort(null));
        provenance = events;
    }

    /** From version 3 of the protocol on the transit URI names the conversation, before that only the packet does. */
    private static String conversation(final String transitUri, final String packetId) {
        if (transitUri.startsWith(RUNS)) {
            return transitUri.substring(RUNS.length()).replaceAll("/.*", "");
        }
        return transitUri.startsWith(Message.TRANSIT_URI) ? "" : packetId.replaceAll("-(\\d+|given)$", "");
    }

    private static Map<String, String> attributes(final JsonNode event) {
        final Map<String, String> attributes = new HashMap<>();
        for (final JsonNode attribute : event.path("attributes")) {
            attributes.put(
                    attribute.required("name").asText(), attribute.path("value").asText());
        }
        return attributes;
    }

    private static String describe(final JsonNode event, final Map<String, String> attributes) {
        final String uuid = event.required("flowFileUuid").asText();
        return (EVENT + event.required("eventType").asText()
                        + " " + event.path("fileSizeBytes").asText()
                        + " " + event.path("transitUri").asText().replace(RUNS, "nifi://run/")
                        + " from " + event.path("sourceSystemFlowFileId").asText()
                        + ": " + event.path("details").asText()
                        + (event.path("eventDuration").asText().matches("[\\d:.]+") ? ", with" : ", without")
                        + " duration, " + Hearer.attributes(attributes))
                .replace(uuid, "*")
                .replaceAll("(localhost|127\\.0\\.0\\.1):\\d+", "$1:*");
    }
}
