// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.nifi.remote.protocol.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Responses, and the names in the protocol, against NiFi's. */
class ResponseMessageTest {
    private static final String TEXT = "Port's not in a valid state – ü";
    private static final int HIGHEST_CODE = 255;

    private static org.apache.nifi.remote.protocol.ResponseCode nifis(final ResponseCode code) {
        return org.apache.nifi.remote.protocol.ResponseCode.valueOf(code.name());
    }

    private static byte[] written(final ResponseCode code) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        if (nifis(code).containsMessage()) {
            nifis(code).writeResponse(out, TEXT);
        } else {
            nifis(code).writeResponse(out);
        }
        return bytes.toByteArray();
    }

    private static List<String> names(final Enum<?>... constants) {
        return Arrays.stream(constants).map(Enum::name).sorted().toList();
    }

    @Test
    void hasTheCodesRequestsAndPropertiesOfNiFi() {
        assertEquals(names(org.apache.nifi.remote.protocol.ResponseCode.values()), names(ResponseCode.values()));
        assertEquals(names(org.apache.nifi.remote.protocol.RequestType.values()), names(RequestType.values()));
        assertEquals(
                names(org.apache.nifi.remote.protocol.HandshakeProperty.values()), names(HandshakeProperty.values()));
        for (final ResponseCode code : ResponseCode.values()) {
            assertEquals(nifis(code).getCode(), code.number(), code.name());
            assertEquals(nifis(code).containsMessage(), code.hasText(), code.name());
            assertEquals(code, ResponseCode.of(code.number()));
        }
    }

    private static ResponseMessage expected(final ResponseCode code) {
        return new ResponseMessage(code, code.hasText() ? TEXT : null);
    }

    @ParameterizedTest
    @EnumSource(ResponseCode.class)
    void writesEveryCodeAsNiFiDoes(final ResponseCode code) throws IOException {
        final ByteBuf out = Unpooled.buffer();
        if (code.hasText()) {
            ResponseMessage.write(out, code, TEXT);
        } else {
            ResponseMessage.write(out, code);
            assertEquals(out, ResponseMessage.encoded(code));
        }
        final byte[] bytes = ByteBufUtil.getBytes(out);
        out.release();
        assertArrayEquals(written(code), bytes);
        final Response read = Response.read(new DataInputStream(new ByteArrayInputStream(bytes)));
        assertEquals(nifis(code), read.getCode());
        assertEquals(expected(code).message(), read.getMessage());
    }

    @ParameterizedTest
    @MethodSource("org.nios2s.wire.Arrival#all")
    void readsEveryCodeThatNiFiWritesHoweverItArrives(final Arrival arrival) throws IOException {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (final ResponseCode code : ResponseCode.values()) {
            all.write(written(code));
        }
        final List<ResponseMessage> read = new ArrayList<>();
        final byte[] left = arrival.feed(all.toByteArray(), in -> {
            ResponseMessage message = ResponseMessage.readIfComplete(in);
            while (message != null) {
                read.add(message);
                message = ResponseMessage.readIfComplete(in);
            }
        });
        assertEquals(
                Arrays.stream(ResponseCode.values())
                        .map(ResponseMessageTest::expected)
                        .toList(),
                read);
        assertEquals(0, left.length);
    }

    @Test
    void consumesNothingWhileBytesAreMissing() throws IOException {
        final byte[] all = written(ResponseCode.UNAUTHORIZED);
        for (int length = 0; length < all.length; length++) {
            final ByteBuf in = Unpooled.wrappedBuffer(all, 0, length);
            assertNull(ResponseMessage.readIfComplete(in));
            assertEquals(length, in.readableBytes());
        }
    }

    @Test
    void refusesEveryCodeThatNiFiDoesNotKnow() {
        final Set<Integer> known =
                Arrays.stream(ResponseCode.values()).map(ResponseCode::number).collect(Collectors.toSet());
        for (int code = 0; code <= HIGHEST_CODE; code++) {
            if (!known.contains(code)) {
                final byte[] bytes = {'R', 'C', (byte) code};
                assertThrows(
                        ProtocolException.class,
                        () -> ResponseMessage.readIfComplete(Unpooled.wrappedBuffer(bytes)),
                        "code " + code);
                assertThrows(
                        org.apache.nifi.remote.exception.ProtocolException.class,
                        () -> Response.read(new DataInputStream(new ByteArrayInputStream(bytes))));
            }
        }
    }

    @Test
    void refusesAWrongFirstOrSecondByteAsSoonAsItIsThere() {
        for (final byte[] bytes : List.of(new byte[] {'X'}, new byte[] {'R', 'X'}, new byte[] {'C', 'R', 1})) {
            assertThrows(ProtocolException.class, () -> ResponseMessage.readIfComplete(Unpooled.wrappedBuffer(bytes)));
        }
    }

    @Test
    void refusesATextThatIsNotModifiedUtf8() {
        final ByteBuf in = Unpooled.wrappedBuffer(
                nifis(ResponseCode.ABORT).getCodeSequence(), new byte[] {0, 2, (byte) 0xC3, (byte) 0x28});
        assertThrows(ProtocolException.class, () -> ResponseMessage.readIfComplete(in));
    }

    @Test
    void aCodeIsWrittenWithItsTextOrNotAtAll() {
        final ByteBuf out = Unpooled.buffer();
        assertThrows(
                IllegalArgumentException.class, () -> ResponseMessage.write(out, ResponseCode.CONFIRM_TRANSACTION));
        assertThrows(IllegalArgumentException.class, () -> ResponseMessage.encoded(ResponseCode.CONFIRM_TRANSACTION));
        assertThrows(
                IllegalArgumentException.class,
                () -> ResponseMessage.write(out, ResponseCode.TRANSACTION_FINISHED, TEXT));
        assertEquals(0, out.readableBytes());
        out.release();
    }

    @Test
    void whatIsSharedStaysWhatItWasHoweverOftenItIsReadAndReleased() throws IOException {
        for (int i = 0; i < 2; i++) {
            final ByteBuf encoded = ResponseMessage.encoded(ResponseCode.TRANSACTION_FINISHED);
            assertArrayEquals(written(ResponseCode.TRANSACTION_FINISHED), ByteBufUtil.getBytes(encoded));
            encoded.skipBytes(encoded.readableBytes());
            encoded.release();
        }
        assertTrue(ResponseMessage.encoded(ResponseCode.TRANSACTION_FINISHED).isReadOnly());
    }

    @Test
    void saysItsCodeAndItsText() {
        assertEquals("BAD_CHECKSUM", new ResponseMessage(ResponseCode.BAD_CHECKSUM, null).toString());
        assertEquals("ABORT: gone", new ResponseMessage(ResponseCode.ABORT, "gone").toString());
    }
}
