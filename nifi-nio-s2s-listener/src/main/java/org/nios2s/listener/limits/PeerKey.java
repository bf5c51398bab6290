// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * The key by which limits tell peers apart: an identity over TLS, otherwise an address. Immutable; any thread.
 *
 * <p>With IPv6 an address is its first 64 bits, since a peer that has one address of such a network has all of them.
 *
 * @param name the identity, or the address as text
 */
public record PeerKey(String name) {
    private static final int PREFIX_BYTES = 8;

    /** @param identity the distinguished name, or null without TLS */
    public static PeerKey of(final String identity, final InetAddress address) {
        if (identity == null) {
            return of(address);
        }
        return new PeerKey(identity);
    }

    public static PeerKey of(final InetAddress address) {
        if (!(address instanceof Inet6Address) || address.isLoopbackAddress()) {
            return new PeerKey(address.getHostAddress());
        }
        final byte[] network = address.getAddress();
        Arrays.fill(network, PREFIX_BYTES, network.length, (byte) 0);
        try {
            return new PeerKey(InetAddress.getByAddress(network).getHostAddress() + "/64");
        } catch (final UnknownHostException e) {
            throw new IllegalStateException("An address has another length than its own", e);
        }
    }
}
