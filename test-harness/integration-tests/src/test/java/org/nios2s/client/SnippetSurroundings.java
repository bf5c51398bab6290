// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.nios2s.harness.nifi.NifiNode;

/** What the documentation's snippets take for granted; they become classes that extend this one. Lives on the thread of the tests. */
public class SnippetSurroundings {
    /** A record of a user's. */
    public record Reading(Map<String, String> attributes, byte[] bytes) {}

    /** What a user writes to. */
    public interface Store {
        void write(Map<String, String> attributes, InputStream content) throws IOException;
    }

    /** A user's code that is tested. */
    public interface Code {
        void run(SiteToSite nifi) throws IOException;
    }

    public static List<Reading> readings;
    public static String url;
    public static char[] password;
    public static List<byte[]> records;
    public static List<Throwable> failures;
    public static List<String> stored;
    public static Store store;
    public static CountDownLatch stopped;
    public static Path path;
    public static SiteToSiteClient.Builder builder;
    public static SimpleMeterRegistry registry;
    public static Code yourCode;

    protected SnippetSurroundings() {}

    /** As before any snippet has run. */
    static void reset(final NifiNode nifi) {
        readings = IntStream.range(0, 3)
                .mapToObj(i -> new Reading(Map.of("number", "" + i), ("reading " + i).getBytes(UTF_8)))
                .toList();
        url = nifi.info().api().replace("/nifi-api", "/nifi");
        password = nifi.info().security().password().toCharArray();
        records = new ArrayList<>();
        failures = new ArrayList<>();
        stored = new ArrayList<>();
        store = SnippetSurroundings::store;
        stopped = new CountDownLatch(1);
        builder = new SiteToSiteClient.Builder();
        registry = new SimpleMeterRegistry();
        yourCode = SnippetSurroundings::exchange;
    }

    /** The readings and the file are all that comes. */
    private static void store(final Map<String, String> attributes, final InputStream content) throws IOException {
        stored.add(new String(content.readAllBytes(), UTF_8));
        if (stored.size() > readings.size()) {
            stopped.countDown();
        }
    }

    /** Is refused once, as the snippet says, and receives all. */
    private static void exchange(final SiteToSite nifi) throws IOException {
        final InputPort port = nifi.inputPort("readings");
        for (final Reading each : readings) {
            port.send(Packet.of(each.attributes(), each.bytes()))
                    .exceptionally(failure -> null)
                    .join();
        }
        try (ReceivedBatch batch =
                nifi.outputPort("to edge").poll(Duration.ofSeconds(1)).orElseThrow()) {
            batch.skipRest();
            batch.complete();
        }
    }

    public static void keep(final Object record, final Throwable failure) {
        failures.add(failure);
    }
}
