// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Takes packets of the {@code StandardFlowFileCodec} apart, byte by byte as they arrive: attributes, content length,
 * content. Lives on one thread at a time, its connection's IO worker.
 *
 * <p>Nothing is allocated for a length that a peer only claims: a field grows with the bytes that have arrived, and
 * content is passed on at once. The checksum covers every byte consumed, over all packets of a transaction, as NiFi's
 * {@code AbstractFlowFileServerProtocol} computes it.
 */
public final class PacketDecoder {
    /** As NiFi's {@code StandardFlowFileCodec.MAX_NUM_ATTRIBUTES}. */
    public static final int MAX_ATTRIBUTES = 25_000;

    private static final int INITIAL_FIELD_BYTES = 256;

    /** Receives what was decoded, in order, on the decoder's thread. */
    public interface Handler {
        /**
         * A packet begins.
         *
         * @param attributes all of them; the map is the receiver's to keep
         * @param contentLength bytes of content that follow; 0 for none
         */
        void packetBegins(Map<String, String> attributes, long contentLength) throws ProtocolException;

        /** The next {@code length} bytes of content, to be read from {@code in}: all of them, no more. */
        void content(ByteBuf in, int length) throws ProtocolException;

        /** The packet is complete. */
        void packetEnds() throws ProtocolException;
    }

    private enum State {
        ATTRIBUTE_COUNT,
        FIELD_LENGTH,
        FIELD,
        CONTENT_LENGTH,
        CONTENT
    }

    private final Handler handler;
    private final int maxAttributeBytes;
    private final CRC32 checksum = new CRC32();

    private State state = State.ATTRIBUTE_COUNT;
    private int attributesLeft;
    private Map<String, String> attributes;
    private String attributeName;
    private int attributeBytes;
    private int heldBytes;
    private int fieldLength;
    private byte[] field;
    private int fieldFilled;
    private long contentLeft;

    /**
     * @param handler receives the packets
     * @param maxAttributeBytes the most bytes that names and values of one packet may take together
     */
    public PacketDecoder(final Handler handler, final int maxAttributeBytes) {
        this.handler = handler;
        this.maxAttributeBytes = maxAttributeBytes;
    }

    /**
     * Consumes what belongs to the current packet and not a byte behind it.
     *
     * @return whether the packet is complete; the next call then starts another
     * @throws ProtocolException if the bytes are no packet, or one that is too large
     */
    public boolean decode(final ByteBuf in) throws ProtocolException {
        final int start = in.readerIndex();
        int checked = start;
        boolean complete = false;
        boolean progress = true;
        while (progress && !complete) {
            if (state == State.CONTENT) {
                // The handler may hand the bytes on; so they are checked first.
                final int length = (int) Math.min(contentLeft, in.readableBytes());
                checked = check(in, checked, in.readerIndex() + length);
                progress = length > 0 || contentLeft == 0;
                if (length > 0) {
                    handler.content(in, length);
                    contentLeft -= length;
                }
                complete = contentLeft == 0;
            } else {
                progress = decodeHeader(in);
            }
        }
        check(in, checked, Math.max(checked, in.readerIndex()));
        if (complete) {
            state = State.ATTRIBUTE_COUNT;
            handler.packetEnds();
        }
        return complete;
    }

    private boolean decodeHeader(final ByteBuf in) throws ProtocolException {
        switch (state) {
            case ATTRIBUTE_COUNT:
                if (in.readableBytes() < Integer.BYTES) {
                    return false;
                }
                beginAttributes(in.readInt());
                return true;
            case FIELD_LENGTH:
                if (in.readableBytes() < Integer.BYTES) {
                    return false;
                }
                beginField(in.readInt());
                return true;
            case FIELD:
                final String value = readField(in);
                if (value == null) {
                    return false;
                }
                endField(value);
                return true;
            case CONTENT_LENGTH:
                if (in.readableBytes() < Long.BYTES) {
                    return false;
                }
                // As in NiFi, a length below zero means no content.
                contentLeft = Math.max(0, in.readLong());
                state = State.CONTENT;
                handler.packetBegins(attributes, contentLeft);
                attributes = null;
                attributeBytes = 0;
                heldBytes = 0;
                return true;
            default:
                throw new IllegalStateException("No header field in state " + state);
        }
    }

    private void beginAttributes(final int count) throws ProtocolException {
        if (count < 0 || count > MAX_ATTRIBUTES) {
            throw new ProtocolException(
                    "A packet claims " + count + " attributes; 0 to " + MAX_ATTRIBUTES + " are possible");
        }
        attributesLeft = count;
        // The count is only a claim: the map grows with what arrives.
        attributes = new HashMap<>();
        state = count == 0 ? State.CONTENT_LENGTH : State.FIELD_LENGTH;
    }

    private void beginField(final int length) throws ProtocolException {
        if (length < 0) {
            throw new ProtocolException("An attribute claims a length of " + length + " bytes");
        }
        if (length > maxAttributeBytes - attributeBytes) {
            throw new ProtocolException("The attributes of a packet take more than " + maxAttributeBytes
                    + " bytes; one claims a length of " + length);
        }
        attributeBytes += length;
        fieldLength = length;
        state = State.FIELD;
    }

    private String readField(final ByteBuf in) {
        if (field == null && in.readableBytes() >= fieldLength) {
            return in.readCharSequence(fieldLength, StandardCharsets.UTF_8).toString();
        }
        if (!in.isReadable()) {
            return null;
        }
        final int length = Math.min(fieldLength - fieldFilled, in.readableBytes());
        ensureField(fieldFilled + length);
        in.readBytes(field, fieldFilled, length);
        fieldFilled += length;
        if (fieldFilled < fieldLength) {
            return null;
        }
        final String value = new String(field, 0, fieldLength, StandardCharsets.UTF_8);
        field = null;
        fieldFilled = 0;
        return value;
    }

    private void ensureField(final int size) {
        if (field == null) {
            field = new byte[Math.min(fieldLength, Math.max(size, INITIAL_FIELD_BYTES))];
        } else if (field.length < size) {
            final int doubled = Math.max(size, field.length * 2);
            field = Arrays.copyOf(field, Math.min(fieldLength, doubled));
        }
    }

    private void endField(final String value) {
        if (attributeName == null) {
            attributeName = value;
            state = State.FIELD_LENGTH;
            return;
        }
        heldBytes += AttributeMemory.of(attributeName, value);
        attributes.put(attributeName, value);
        attributeName = null;
        attributesLeft--;
        state = attributesLeft == 0 ? State.CONTENT_LENGTH : State.FIELD_LENGTH;
    }

    private int check(final ByteBuf in, final int from, final int to) {
        if (to > from) {
            Checksum.update(checksum, in, from, to - from);
        }
        return to;
    }

    /** @return whether attributes and length are there, and content is missing */
    public boolean isInContent() {
        return state == State.CONTENT;
    }

    /** @return whether not a byte of the next packet has been decoded */
    public boolean isBetweenPackets() {
        return state == State.ATTRIBUTE_COUNT;
    }

    /** @return bytes of the heap that the attributes of the packet under way take so far, as far as they have arrived */
    public int heldBytes() {
        return heldBytes
                + (field == null ? 0 : field.length)
                + (attributeName == null ? 0 : Character.BYTES * attributeName.length());
    }

    /** @return the CRC32 of all bytes consumed so far */
    public long checksum() {
        return checksum.getValue();
    }
}
