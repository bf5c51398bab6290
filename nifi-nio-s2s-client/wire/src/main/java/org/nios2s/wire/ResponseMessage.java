// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A response on the wire: {@code R}, {@code C}, the code, and for some codes a text. Immutable; any thread.
 *
 * @param code what is said
 * @param message the text, or null for a code that has none
 */
public record ResponseMessage(ResponseCode code, String message) {
    private static final byte FIRST_BYTE = 'R';
    private static final byte SECOND_BYTE = 'C';
    private static final int CODE_SEQUENCE_BYTES = 3;

    private static final Map<ResponseCode, ByteBuf> WITHOUT_TEXT = Arrays.stream(ResponseCode.values())
            .filter(code -> !code.hasText())
            .collect(Collectors.toUnmodifiableMap(Function.identity(), ResponseMessage::encode));

    private static ByteBuf encode(final ResponseCode code) {
        final ByteBuf bytes = Unpooled.directBuffer(CODE_SEQUENCE_BYTES, CODE_SEQUENCE_BYTES);
        writeCode(bytes, code);
        return Unpooled.unreleasableBuffer(bytes).asReadOnly();
    }

    /**
     * Reads one response if all of it has arrived. A wrong byte is refused as soon as it is there.
     *
     * @return the response, or null, with nothing consumed, if bytes are missing
     * @throws ProtocolException if the bytes are no response or its code is unknown
     */
    public static ResponseMessage readIfComplete(final ByteBuf in) throws ProtocolException {
        final int start = in.readerIndex();
        final int available = in.readableBytes();
        if (available > 0 && in.getByte(start) != FIRST_BYTE || available > 1 && in.getByte(start + 1) != SECOND_BYTE) {
            throw new ProtocolException("Expected a response code, but the bytes do not start with 'RC'");
        }
        if (available < CODE_SEQUENCE_BYTES) {
            return null;
        }
        final int number = in.getUnsignedByte(start + 2);
        final ResponseCode code = ResponseCode.of(number);
        if (code == null) {
            throw new ProtocolException("Received the unknown response code " + number);
        }
        if (!code.hasText()) {
            in.skipBytes(CODE_SEQUENCE_BYTES);
            return new ResponseMessage(code, null);
        }
        in.skipBytes(CODE_SEQUENCE_BYTES);
        final String message = ModifiedUtf8.readIfComplete(in);
        if (message == null) {
            in.readerIndex(start);
            return null;
        }
        return new ResponseMessage(code, message);
    }

    /** @return a code that has no text, to be sent as it is: made once, since every transaction ends with one */
    public static ByteBuf encoded(final ResponseCode code) {
        requireWithoutText(code);
        return WITHOUT_TEXT.get(code).duplicate();
    }

    private static void requireWithoutText(final ResponseCode code) {
        if (code.hasText()) {
            throw new IllegalArgumentException(code + " needs a text");
        }
    }

    /** Writes a code that has no text. */
    public static void write(final ByteBuf out, final ResponseCode code) {
        requireWithoutText(code);
        writeCode(out, code);
    }

    /**
     * Writes a code that has a text.
     *
     * @throws ProtocolException if the text takes more than 65,535 bytes
     */
    public static void write(final ByteBuf out, final ResponseCode code, final String message)
            throws ProtocolException {
        if (!code.hasText()) {
            throw new IllegalArgumentException(code + " has no text");
        }
        writeCode(out, code);
        ModifiedUtf8.write(out, message);
    }

    private static void writeCode(final ByteBuf out, final ResponseCode code) {
        out.writeByte(FIRST_BYTE);
        out.writeByte(SECOND_BYTE);
        out.writeByte(code.number());
    }

    /** @return the code and the text, fit for a log */
    @Override
    public String toString() {
        return message == null ? code.name() : code.name() + ": " + LogText.of(message);
    }
}
