// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The observed properties of a server while it ran, whatever it was meant to be. A property that nobody saw is null. Immutable; any thread.
 *
 * @param listener   {@code nio}, {@code stock}, {@code none} or {@code unknown}: by its threads, or by how it treats a peer
 * @param transport  by which the NIO listener serves its sockets, by the stacks of its workers
 * @param socket     plain TCP, or TLS with its provider, as the NIO listener says
 * @param scheduling which threads run processors and ports
 * @param nifi       version of NiFi, as its REST API says
 * @param java       its Java, likewise
 * @param nar        SHA-256 of the file of the NIO listener, its first digits
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ObservedServer(
        String listener, String transport, String socket, String scheduling, String nifi, String java, String nar) {

    public static final String NIO = "nio";
    public static final String STOCK = "stock";
    public static final String NONE = "none";
    public static final String UNKNOWN = "unknown";

    /** One of which only the listener can be seen. */
    public static ObservedServer of(final String listener) {
        return new ObservedServer(listener, null, null, null, null, null, null);
    }

    /** The same server, looked at again. */
    public ObservedServer with(final String other) {
        return new ObservedServer(other, transport, socket, scheduling, nifi, java, nar);
    }

    /** All that was seen, for a page. */
    public String words() {
        return Stream.of(
                        "listener " + listener,
                        transport,
                        socket,
                        scheduling,
                        nifi == null ? null : "NiFi " + nifi,
                        java == null ? null : "Java " + java,
                        nar == null || !listener.equals(NIO) ? null : "NAR " + nar)
                .filter(Objects::nonNull)
                .collect(Collectors.joining(", "));
    }

    /** Whether this cannot be the server of that name. */
    public boolean contradicts(final String expected) {
        return !listener.equals(UNKNOWN) && !listener.equals(expected);
    }
}
