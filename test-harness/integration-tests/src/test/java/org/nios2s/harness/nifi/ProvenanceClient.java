// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Queries of a NiFi's provenance over the REST API.
 * For any thread; a call blocks until NiFi has answered.
 */
public final class ProvenanceClient {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final DateTimeFormatter NIFI_TIME =
            DateTimeFormatter.ofPattern("MM/dd/yyyy HH:mm:ss 'UTC'").withZone(ZoneOffset.UTC);
    private static final int MAX_EVENTS = 10_000;

    private final RestClient rest;

    /** The client of one NiFi. */
    public ProvenanceClient(final RestClient rest) {
        this.rest = rest;
    }

    /**
     * The events that match every term; a fresh event is found a moment after its commit: the events with their
     * attributes, as NiFi describes them.
     */
    public List<JsonNode> events(final Map<String, String> terms) {
        return events(terms, Instant.EPOCH);
    }

    /**
     * The events that match every term and are not older than a moment, which NiFi takes to the second.
     *
     * @param terms as above
     */
    public List<JsonNode> events(final Map<String, String> terms, final Instant since) {
        final ObjectNode body = RestClient.object();
        final ObjectNode request = body.putObject("provenance").putObject("request");
        request.put("maxResults", MAX_EVENTS).put("summarize", false).put("incrementalResults", false);
        if (since.isAfter(Instant.EPOCH)) {
            request.put("startDate", NIFI_TIME.format(since));
        }
        final ObjectNode search = request.putObject("searchTerms");
        terms.forEach(
                (field, value) -> search.putObject(field).put("value", value).put("inverse", false));
        final String query = "/provenance/"
                + rest.post("/provenance", body)
                        .required("provenance")
                        .required("id")
                        .asText();
        final List<JsonNode> events = new ArrayList<>();
        try {
            Deadline.after(PATIENCE).until(() -> "NiFi finishes " + query, () -> {
                final JsonNode answer = rest.get(query).required("provenance");
                if (!answer.required("finished").asBoolean()) {
                    return false;
                }
                answer.required("results").required("provenanceEvents").forEach(events::add);
                return true;
            });
        } finally {
            rest.delete(query);
        }
        return events;
    }
}
