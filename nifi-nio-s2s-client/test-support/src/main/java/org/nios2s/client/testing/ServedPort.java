// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import org.nios2s.client.FailureReason;
import org.nios2s.wire.ResponseCode;

/** The server's side of both kinds of ports: the refusals that are to come. Any thread; guarded by itself. */
abstract class ServedPort implements Conversation.Port {
    private static final Map<FailureReason, ResponseCode> ANSWERS = new EnumMap<>(Map.of(
            FailureReason.UNKNOWN_PORT, ResponseCode.UNKNOWN_PORT,
            FailureReason.PORT_NOT_RUNNING, ResponseCode.PORT_NOT_IN_VALID_STATE,
            FailureReason.DESTINATION_FULL, ResponseCode.PORTS_DESTINATION_FULL,
            FailureReason.UNAUTHORIZED, ResponseCode.UNAUTHORIZED,
            FailureReason.REFUSED, ResponseCode.ABORT));

    private final Deque<FailureReason> refusals = new ArrayDeque<>();

    /** Refuses the next handshake, as a NiFi does. */
    final void willRefuse(final FailureReason reason) {
        if (reason != FailureReason.CONNECTION_LOST && !ANSWERS.containsKey(reason)) {
            throw new IllegalArgumentException(
                    "A NiFi can't cause " + reason + "; accepted: CONNECTION_LOST and one of " + ANSWERS.keySet());
        }
        synchronized (this) {
            refusals.add(reason);
        }
    }

    /** Answers a handshake. */
    final void greet(final Conversation peer) throws IOException {
        final FailureReason refusal;
        synchronized (this) {
            refusal = refusals.poll();
        }
        if (refusal == null) {
            peer.say(ResponseCode.PROPERTIES_OK);
            return;
        }
        final ResponseCode answer = ANSWERS.get(refusal);
        if (answer != null) {
            peer.say(answer, "on demand");
        }
        throw new EOFException("Refuses on demand: " + refusal);
    }

    /** Lets what is held back end. */
    abstract void release();
}
