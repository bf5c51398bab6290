// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Packets that a test sent, or those that it received.
 * For one thread.
 *
 * @param attributes of each packet
 * @param contents of each packet, in the same order
 */
record Packets(List<Map<String, String>> attributes, List<byte[]> contents) {

    /** So many does {@link #various} make. */
    static final int VARIETY = 12;

    private static final String PACKET_ID = "packet.id";
    private static final int SIZE_FACTOR = 3;
    private static final int LARGE = 300_000;
    private static final int REPETITIONS = 20_000;

    /** What NiFi itself gives a FlowFile, beside what was sent. */
    private static final Set<String> GIVEN_BY_NIFI =
            Set.of("uuid", "filename", "path", "s2s.host", "s2s.address", "s2s.port.id");

    /** No packets yet. */
    static Packets none() {
        return new Packets(new ArrayList<>(), new ArrayList<>());
    }

    /** Packets with contents and attributes of many kinds; the prefix tells them from those of another test. */
    static Packets various(final String prefix) {
        final Packets packets = none();
        for (int number = 0; number < VARIETY; number++) {
            packets.attributes.add(attributes(prefix, number));
            packets.contents.add(content(number));
        }
        return packets;
    }

    int size() {
        return contents.size();
    }

    /** Asserts that these arrived as those, in whatever order: same contents, and what NiFi adds beside the same attributes. */
    void assertArrivedAs(final Packets arrived) {
        assertEquals(size(), arrived.size());
        final Map<String, Integer> places = new HashMap<>();
        for (int place = 0; place < arrived.size(); place++) {
            places.put(arrived.attributes.get(place).get(PACKET_ID), place);
        }
        for (int number = 0; number < size(); number++) {
            final Integer place = places.get(attributes.get(number).get(PACKET_ID));
            assertNotNull(place, "packet " + number + " in " + places.keySet());
            final Map<String, String> own = new HashMap<>(arrived.attributes.get(place));
            own.keySet().removeAll(GIVEN_BY_NIFI);
            assertEquals(attributes.get(number), own);
            assertArrayEquals(contents.get(number), arrived.contents.get(place), "content of packet " + number);
        }
    }

    private static Map<String, String> attributes(final String prefix, final int number) {
        final Map<String, String> attributes = new HashMap<>();
        attributes.put(PACKET_ID, prefix + number);
        attributes.put("empty", "");
        attributes.put("Ünïcödé \u20ac", "\ud83d\ude80 \u4f60\u597d\n" + number);
        attributes.put("long", "x".repeat(number * number * number));
        return attributes;
    }

    /** Empty, tiny, well compressible and incompressible ones, up to a few chunks of the compressed form. */
    private static byte[] content(final int number) {
        if (number == VARIETY - 1) {
            return "well compressible ".repeat(REPETITIONS).getBytes(StandardCharsets.UTF_8);
        }
        final int size = number == VARIETY - 2 ? LARGE : (int) Math.pow(SIZE_FACTOR, number) - 1;
        final byte[] content = new byte[size];
        new Random(number).nextBytes(content);
        return content;
    }
}
