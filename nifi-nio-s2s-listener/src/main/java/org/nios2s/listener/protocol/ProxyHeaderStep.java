// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.ProtocolDetectionResult;
import io.netty.handler.codec.ProtocolDetectionState;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.nios2s.listener.connection.BeginTlsStep;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;

/**
 * A trusted load balancer names the peer by a header of the PROXY protocol, version 1 or 2. Lives on the connection's IO worker.
 *
 * <p>The header of a load balancer's own health check names no peer: the connection then keeps its own address. A part of a
 * header is no progress, and its length has a limit.
 */
record ProxyHeaderStep(PeerConnection connection) implements Step {
    /** A line with its end. */
    private static final int MAX_BYTES_OF_VERSION_1 = 107;

    /** Load balancers add some hundred bytes about TLS, their network or the client's certificate. */
    private static final int MAX_BYTES_OF_VERSION_2 = 4 * 1024;

    /** Signature, command, family, and the length of the rest. */
    private static final int FIXED_BYTES = 16;

    private static final int LENGTH_OFFSET = 14;

    private static final int NOT_KNOWN_YET = Integer.MAX_VALUE;

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        final ProtocolDetectionResult<HAProxyProtocolVersion> detected = HAProxyMessageDecoder.detectProtocol(in);
        if (detected.state() == ProtocolDetectionState.NEEDS_MORE_DATA) {
            return this;
        }
        if (detected.state() == ProtocolDetectionState.INVALID) {
            throw Kind.PROXY_HEADER.fault(
                    "There is no PROXY header, and from this address one is required; let the load"
                            + " balancer send it, or take the address out of nifi.remote.input.nio.proxy.protocol.from");
        }
        final int length = lengthOf(detected.detectedProtocol(), in);
        if (in.readableBytes() < length) {
            return this;
        }
        // A copy on the heap: if the decoder finds a fault, it does
        // not release the part of the header that it has read.
        final byte[] header = ByteBufUtil.getBytes(in, in.readerIndex(), length);
        in.skipBytes(length);
        connection.handler().excludeProxyHeader(length);
        connection.setProxiedAddress(addressIn(header));
        final MagicStep next = new MagicStep(connection);
        if (connection.isSecure()) {
            return new BeginTlsStep(next);
        }
        return next;
    }

    /** @return how many bytes the header has, or {@link #NOT_KNOWN_YET} */
    private static int lengthOf(final HAProxyProtocolVersion version, final ByteBuf in) throws ConnectionFault {
        final int arrived = in.readableBytes();
        if (version == HAProxyProtocolVersion.V1) {
            final int beforeEnd = in.bytesBefore(Math.min(arrived, MAX_BYTES_OF_VERSION_1), (byte) '\n');
            if (beforeEnd >= 0) {
                return beforeEnd + 1;
            }
            requireAtMost(MAX_BYTES_OF_VERSION_1, arrived + 1);
            return NOT_KNOWN_YET;
        }
        if (arrived < FIXED_BYTES) {
            return NOT_KNOWN_YET;
        }
        final int length = FIXED_BYTES + in.getUnsignedShort(in.readerIndex() + LENGTH_OFFSET);
        requireAtMost(MAX_BYTES_OF_VERSION_2, length);
        return length;
    }

    private static void requireAtMost(final int most, final int length) throws ConnectionFault {
        if (length > most) {
            throw Kind.PROXY_HEADER.fault("The PROXY header has more than " + most + " bytes");
        }
    }

    /** @return the peer's address, or null if the header names none */
    private static InetSocketAddress addressIn(final byte[] header) throws IOException {
        final HAProxyMessage message = decode(header);
        try {
            final HAProxyProxiedProtocol protocol = message.proxiedProtocol();
            if (message.command() == HAProxyCommand.LOCAL || protocol == HAProxyProxiedProtocol.UNKNOWN) {
                return null;
            }
            if (protocol != HAProxyProxiedProtocol.TCP4 && protocol != HAProxyProxiedProtocol.TCP6) {
                throw Kind.PROXY_HEADER.fault("The PROXY header names the protocol " + protocol
                        + ", and Site-to-Site peers connect over TCP");
            }
            if (message.sourcePort() == 0) {
                throw Kind.PROXY_HEADER.fault("The PROXY header names port 0, which no peer can have");
            }
            final byte[] address = NetUtil.createByteArrayFromIpAddressString(message.sourceAddress());
            return new InetSocketAddress(InetAddress.getByAddress(address), message.sourcePort());
        } finally {
            message.release();
        }
    }

    private static HAProxyMessage decode(final byte[] header) throws ConnectionFault {
        // In a channel of its own: at a fault the decoder closes its channel, and ours has to log the reason first.
        final EmbeddedChannel decoding = new EmbeddedChannel(new HAProxyMessageDecoder());
        try {
            decoding.writeInbound(Unpooled.wrappedBuffer(header));
            final HAProxyMessage message = decoding.readInbound();
            if (message == null) {
                throw Kind.PROXY_HEADER.fault("The PROXY header is malformed: its line has no proper end");
            }
            return message;
        } catch (final DecoderException e) {
            throw Kind.PROXY_HEADER.fault("The PROXY header is malformed", e);
        }
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.HANDSHAKE;
    }
}
