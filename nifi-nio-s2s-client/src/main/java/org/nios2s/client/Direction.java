// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

/** Which way the packets of a transaction go, seen from the client. Immutable; any thread. */
public enum Direction {
    /** To an input port of NiFi. */
    SEND,
    /** From an output port of NiFi. */
    RECEIVE
}
