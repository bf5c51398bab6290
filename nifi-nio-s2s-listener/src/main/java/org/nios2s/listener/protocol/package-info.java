// SPDX-License-Identifier: Apache-2.0
/**
 * The conversation of RAW Site-to-Site outside of transactions: PROXY header, magic, protocol version, handshake, codec,
 * requests, and the list of peers.
 *
 * <p>The root package makes the {@link org.nios2s.listener.protocol.RawProtocol}; connections call its steps on their IO
 * workers. NiFi's checks of a handshake, the question for the nodes of the cluster and the rules of routing run on threads for
 * blocking tasks.
 */
package org.nios2s.listener.protocol;
