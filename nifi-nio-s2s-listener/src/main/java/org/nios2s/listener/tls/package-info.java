// SPDX-License-Identifier: Apache-2.0
/**
 * TLS handlers on NiFi's keys, by BoringSSL or the JDK, offering what NiFi's HTTPS offers.
 *
 * <p>The root package makes the factory, on NiFi's main thread; IO workers take a handler for each connection. Handshake tasks run on
 * threads of this room. It alone may use NiFi's key store and certificates.
 */
package org.nios2s.listener.tls;
