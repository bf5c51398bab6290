// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** Addresses and networks of addresses. Immutable; any thread. */
record Networks(List<Network> networks) implements Predicate<InetAddress> {
    static final Networks NONE = new Networks(List.of());

    /**
     * All addresses that begin with the same bits.
     *
     * @param first the lowest of them
     */
    private record Network(byte[] first, int prefixBits) {
        boolean contains(final byte[] address) {
            return address.length == first.length && Arrays.equals(withoutSuffix(address, prefixBits), first);
        }
    }

    /**
     * @param text such as 10.0.0.7,10.1.0.0/16
     * @throws IllegalArgumentException if a part of it is no address and no network
     */
    static Networks parse(final String text) {
        // The limit of -1 keeps the empty text behind a last comma, which is then refused.
        return new Networks(Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .map(Networks::parseOne)
                .toList());
    }

    private static Network parseOne(final String text) {
        final int slash = text.indexOf('/');
        if (slash < 0) {
            final byte[] address = parseAddress(text);
            return new Network(address, address.length * Byte.SIZE);
        }
        final byte[] first = parseAddress(text.substring(0, slash));
        final int prefixBits = Integer.parseInt(text.substring(slash + 1));
        if (prefixBits < 0 || prefixBits > first.length * Byte.SIZE) {
            throw new IllegalArgumentException(prefixBits + " is not a length of a prefix");
        }
        if (!Arrays.equals(withoutSuffix(first, prefixBits), first)) {
            throw new IllegalArgumentException(text + " has bits beyond its prefix");
        }
        return new Network(first, prefixBits);
    }

    /** Parses without a name service, which {@link InetAddress#getByName} would ask for a name. */
    private static byte[] parseAddress(final String text) {
        final byte[] address = NetUtil.createByteArrayFromIpAddressString(text);
        if (address == null) {
            throw new IllegalArgumentException("'" + text + "' is not an address");
        }
        return address;
    }

    private static byte[] withoutSuffix(final byte[] address, final int prefixBits) {
        final byte[] result = address.clone();
        for (int bit = prefixBits; bit < result.length * Byte.SIZE; bit++) {
            result[bit / Byte.SIZE] &= (byte) ~(1 << Byte.SIZE - 1 - bit % Byte.SIZE);
        }
        return result;
    }

    @Override
    public boolean test(final InetAddress address) {
        return networks.stream().anyMatch(network -> network.contains(address.getAddress()));
    }
}
