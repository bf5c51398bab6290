// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.nifi.remote.protocol.Response;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes at all to {@link ResponseMessage} and {@link ModifiedUtf8}: they read what NiFi's {@link Response} and Java's
 * {@link DataInputStream} read, wait where those would, and refuse what those refuse. Lives on the test's thread.
 */
class ResponseFuzzTest {
    private static final String MISSING = "bytes are missing";
    private static final String REFUSED = "refused";

    private interface Read {
        String from(DataInputStream in) throws IOException;
    }

    static Stream<Arguments> everyResponse() {
        return Arrays.stream(ResponseCode.values()).map(code -> {
            try {
                final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                final DataOutputStream out = new DataOutputStream(bytes);
                if (code.containsMessage()) {
                    code.writeResponse(out, "a text with \u0000 and \u20AC");
                } else {
                    code.writeResponse(out);
                }
                return Arguments.of((Object) bytes.toByteArray());
            } catch (final IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @MethodSource("everyResponse")
    @FuzzTest(maxDuration = FuzzTime.OF_A_DECODER)
    void responsesAndStringsAreReadAsNiFiReadsThem(final byte[] bytes) {
        if (bytes == null) {
            return;
        }
        assertEquals(expected(bytes, in -> in.readUTF()), string(bytes));
        final String response = response(bytes);
        // NiFi's reader waits where ours knows already that this can't become a response.
        if (!response.equals(REFUSED)) {
            assertEquals(expected(bytes, ResponseFuzzTest::nifisResponse), response);
        }
    }

    private static String nifisResponse(final DataInputStream in) throws IOException {
        final Response response = Response.read(in);
        return response.getCode().name() + ":" + (response.getCode().containsMessage() ? response.getMessage() : null);
    }

    private static String expected(final byte[] bytes, final Read read) {
        try {
            return read.from(new DataInputStream(new ByteArrayInputStream(bytes)));
        } catch (final EOFException e) {
            return MISSING;
        } catch (final org.apache.nifi.remote.exception.ProtocolException | UTFDataFormatException e) {
            return REFUSED;
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String string(final byte[] bytes) {
        final ByteBuf in = Unpooled.wrappedBuffer(bytes);
        try {
            final String read = ModifiedUtf8.readIfComplete(in);
            return read == null ? missing(in) : read;
        } catch (final ProtocolException e) {
            return REFUSED;
        }
    }

    private static String response(final byte[] bytes) {
        final ByteBuf in = Unpooled.wrappedBuffer(bytes);
        try {
            final ResponseMessage read = ResponseMessage.readIfComplete(in);
            return read == null ? missing(in) : read.code() + ":" + read.message();
        } catch (final ProtocolException e) {
            return REFUSED;
        }
    }

    private static String missing(final ByteBuf in) {
        assertEquals(0, in.readerIndex(), "nothing is consumed while bytes are missing");
        return MISSING;
    }
}
