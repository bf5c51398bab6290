// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Headers of the PROXY protocol as bytes, right ones and wrong ones. Stateless; any thread. */
public final class ProxyHeaders {
    public static final int LOCAL = 0x20;
    public static final int PROXY = 0x21;
    public static final int UNSPECIFIED = 0x00;
    public static final int TCP_4 = 0x11;
    public static final int UDP_4 = 0x12;
    public static final int TCP_6 = 0x21;
    public static final int UNIX_STREAM = 0x31;
    public static final int UNIX_ADDRESSES_BYTES = 216;

    private static final byte[] SIGNATURE = HexFormat.of().parseHex("0d0a0d0a000d0a515549540a");
    private static final int PP2_TYPE_NOOP = 0x04;
    private static final int TLV_OVERHEAD = 3;
    private static final short BALANCER_PORT = 443;

    private ProxyHeaders() {}

    /** Version 1. */
    public static byte[] line(final String line) {
        return (line + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** Version 2, of a command and a family with transport. */
    public static byte[] binary(final int command, final int family, final byte[]... body) {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (final byte[] part : body) {
            all.writeBytes(part);
        }
        return binary(command, family, all.size(), all.toByteArray());
    }

    /** As {@link #binary(int, int, byte[][])}, with a length that may be another one. */
    public static byte[] binary(final int command, final int family, final int length, final byte[] body) {
        final ByteBuffer header = ByteBuffer.allocate(SIGNATURE.length + 2 + Short.BYTES + body.length);
        header.put(SIGNATURE).put((byte) command).put((byte) family).putShort((short) length);
        return header.put(body).array();
    }

    /** Version 2, for a peer over TCP. */
    public static byte[] binary(final String address, final int port) {
        final byte[] source = addressOf(address);
        return binary(PROXY, source.length == Integer.BYTES ? TCP_4 : TCP_6, tcp(address, port));
    }

    /** The addresses of a header of version 2, whose target is the source's neighbour. */
    public static byte[] tcp(final String address, final int port) {
        final byte[] source = addressOf(address);
        return ByteBuffer.allocate(2 * source.length + 2 * Short.BYTES)
                .put(source)
                .put(source)
                .putShort((short) port)
                .putShort(BALANCER_PORT)
                .array();
    }

    private static byte[] addressOf(final String text) {
        try {
            return InetAddress.getByName(text).getAddress();
        } catch (final UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** What else a load balancer may say, of so many bytes in all. */
    public static byte[] tlv(final int bytes) {
        final int length = bytes - TLV_OVERHEAD;
        return tlv(PP2_TYPE_NOOP, length, new byte[length]);
    }

    public static byte[] tlv(final int type, final int length, final byte[] value) {
        return ByteBuffer.allocate(TLV_OVERHEAD + value.length)
                .put((byte) type)
                .putShort((short) length)
                .put(value)
                .array();
    }
}
