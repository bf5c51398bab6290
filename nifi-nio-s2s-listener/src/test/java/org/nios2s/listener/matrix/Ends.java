// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.nios2s.listener.matrix.Misbehaviour.ANSWERS_NOT_READ;
import static org.nios2s.listener.matrix.Misbehaviour.GARBAGE;
import static org.nios2s.listener.matrix.Misbehaviour.HALF_CLOSE;
import static org.nios2s.listener.matrix.Misbehaviour.OUT_OF_ORDER;
import static org.nios2s.listener.matrix.Misbehaviour.OVER_LONG;
import static org.nios2s.listener.matrix.Misbehaviour.REPEATED;
import static org.nios2s.listener.matrix.Misbehaviour.TRUNCATED;

import java.util.Map;

/**
 * How each cell is expected to end: what isn't said here, with a closed connection and nothing committed. Immutable; any
 * thread.
 */
final class Ends {
    /** What is sent in place of a message begins one, or is one: the listener waits for what follows. */
    private static final Map<Place, Map<Misbehaviour, End>> OTHERS = Map.ofEntries(
            Map.entry(Place.PROTOCOL, Map.of(REPEATED, End.OPEN)),
            Map.entry(Place.REQUEST, Map.of(REPEATED, End.OPEN)),
            Map.entry(Place.PEER_LIST, Map.of(REPEATED, End.OPEN)),
            Map.entry(Place.ATTRIBUTE, Map.of(REPEATED, End.OPEN, OUT_OF_ORDER, End.OPEN)),
            Map.entry(Place.CONFIRMATION, Map.of(REPEATED, End.COMMITTED_AND_CLOSED, OVER_LONG, End.COMMITTED)),
            Map.entry(
                    Place.COMMIT,
                    Map.of(
                            GARBAGE, End.COMMITTED_AND_CLOSED,
                            OVER_LONG, End.COMMITTED_AND_CLOSED,
                            REPEATED, End.COMMITTED_AND_CLOSED,
                            OUT_OF_ORDER, End.COMMITTED_AND_CLOSED)),
            Map.entry(Place.STREAMED_SESSION, Map.of(GARBAGE, End.OPEN, OUT_OF_ORDER, End.OPEN)),
            Map.entry(Place.STREAMED_CONTENT, Map.of(GARBAGE, End.OPEN, OUT_OF_ORDER, End.OPEN)),
            Map.entry(Place.STREAMED_CONFIRMATION, Map.of(REPEATED, End.COMMITTED_AND_CLOSED)),
            Map.entry(Place.PULL, Map.of(REPEATED, End.OPEN)),
            Map.entry(Place.FINISH, Map.of(REPEATED, End.COMMITTED_AND_CLOSED)));

    private Ends() {}

    static End of(final Place place, final Misbehaviour misbehaviour) {
        final boolean endsOutput = misbehaviour == HALF_CLOSE || misbehaviour == TRUNCATED;
        if (place == Place.COMMIT && endsOutput) {
            // Who ends his output has left, and takes back what no port task has.
            return End.COMMITTED_IF_IN_TIME;
        }
        if (place == Place.PUSH && misbehaviour == ANSWERS_NOT_READ) {
            return End.COMMITTED_AGAIN_AND_AGAIN;
        }
        return OTHERS.getOrDefault(place, Map.of()).getOrDefault(misbehaviour, End.CLOSED);
    }
}
