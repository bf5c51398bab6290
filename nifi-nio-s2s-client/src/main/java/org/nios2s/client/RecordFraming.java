// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The form in which records stand one after another in the content of a FlowFile. Immutable; any thread.
 *
 * <p>A record is never changed. One that could not be told apart from its neighbours afterwards is refused.
 */
public abstract sealed class RecordFraming {
    private static final String RECORD_COUNT = "record.count";
    private static final String MIME_TYPE = "mime.type";

    /** Of an array on common JVMs. */
    private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

    private static final byte NEWLINE = '\n';
    private static final byte CARRIAGE_RETURN = '\r';
    private static final RecordFraming LINES = new Lines("text/plain");
    private static final RecordFraming NDJSON = new JsonLines();
    private static final RecordFraming LENGTH_PREFIXED = new LengthPrefixed();

    private final String mimeType;
    private final int overhead;

    private RecordFraming(final String mimeType, final int overhead) {
        this.mimeType = mimeType;
        this.overhead = overhead;
    }

    /**
     * Ends each record with a newline ({@code \n}), the last one too. A record may be empty, or end with a carriage return
     * ({@code \r}). {@code mime.type} is {@code text/plain}.
     *
     * @return refuses a record with a newline, or with a carriage return before its last byte: NiFi may end a line there
     */
    public static RecordFraming lines() {
        return LINES;
    }

    /**
     * Takes records that are JSON, and ends each with a newline. {@code mime.type} is {@code application/x-ndjson}; NiFi's
     * record readers do not ask for it. Whether a record is JSON is not looked at.
     *
     * @return refuses a record as {@link #lines()} does, such as pretty-printed JSON, and one that is blank
     */
    public static RecordFraming ndjson() {
        return NDJSON;
    }

    /**
     * Ends each record with the same bytes, the last one too. A record may be empty. {@code mime.type} is
     * {@code application/octet-stream}.
     *
     * @param separator at least one byte; copied
     * @return refuses a record that contains the separator, or ends so that the separator would begin within it
     */
    public static RecordFraming separatedBy(final byte[] separator) {
        if (separator.length == 0) {
            throw new IllegalArgumentException("A separator has at least one byte");
        }
        return new Separated(separator.clone(), "application/octet-stream");
    }

    /**
     * Writes the length of each record before it: four bytes, the highest first. A record may be empty. {@code mime.type} is
     * {@code application/octet-stream}.
     *
     * @return takes any bytes
     */
    public static RecordFraming lengthPrefixed() {
        return LENGTH_PREFIXED;
    }

    /**
     * Tells the type of the content.
     *
     * @return the attribute {@code mime.type} of a FlowFile whose attributes name no other
     */
    public String mimeType() {
        return mimeType;
    }

    /**
     * Tells how much of a FlowFile a record takes.
     *
     * @param length bytes of the record
     * @return bytes of it in the content
     */
    public long framedLength(final long length) {
        return length + overhead;
    }

    /**
     * Makes a packet of records.
     *
     * @param attributes of the FlowFile, beside {@code record.count}, which it is given, and {@code mime.type}, unless it is among them
     * @param records copied
     * @return becomes one FlowFile
     * @throws IllegalArgumentException if a record does not fit this framing, if all take more than an array holds, or if
     *     {@code record.count} is among the attributes
     */
    public Packet join(final Map<String, String> attributes, final List<byte[]> records) {
        records.forEach(this::requireFit);
        return joinFitting(attributes, records);
    }

    /**
     * The same as {@link #join} for records that {@link #requireFit} has passed: they are not looked at again.
     *
     * @param attributes as there
     * @param records copied
     * @return becomes one FlowFile
     */
    public Packet joinFitting(final Map<String, String> attributes, final List<byte[]> records) {
        if (attributes.containsKey(RECORD_COUNT)) {
            throw new IllegalArgumentException("The attribute " + RECORD_COUNT + " can't be given: it is counted");
        }
        long length = 0;
        for (final byte[] record : records) {
            length += framedLength(record.length);
        }
        if (length > MAX_BYTES) {
            throw new IllegalArgumentException("The records take " + length + " bytes; accepted: at most " + MAX_BYTES);
        }
        final ByteBuffer content = ByteBuffer.allocate(Math.toIntExact(length));
        records.forEach(record -> write(record, content));
        final Map<String, String> all = new HashMap<>();
        all.put(MIME_TYPE, mimeType);
        all.putAll(attributes);
        all.put(RECORD_COUNT, Integer.toString(records.size()));
        return Packet.of(all, content.flip());
    }

    /**
     * Refuses a record that could not be told apart from its neighbours afterwards.
     *
     * @param record not null
     * @throws IllegalArgumentException that says why
     */
    public void requireFit(final byte[] record) {
        final String objection = objection(record);
        if (objection != null) {
            throw new IllegalArgumentException("The record " + objection);
        }
    }

    /** @return what is wrong with a record, as the end of a sentence, or null */
    abstract @Nullable String objection(byte[] record);

    abstract void write(byte[] record, ByteBuffer content);

    /** Ends each record with the same bytes. */
    private static sealed class Separated extends RecordFraming {
        private final byte[] separator;

        Separated(final byte[] separator, final String mimeType) {
            super(mimeType, separator.length);
            this.separator = separator;
        }

        @Override
        @Nullable
        String objection(final byte[] record) {
            for (int at = 0; at < record.length; at++) {
                if (record[at] == separator[0] && separatorIsAt(at, record)) {
                    return containsSeparator(at);
                }
            }
            return null;
        }

        static String containsSeparator(final int at) {
            return "contains the separator at byte " + at;
        }

        /** Its own end, behind the record, may be part of one that begins too early. */
        private boolean separatorIsAt(final int at, final byte[] record) {
            for (int i = 1; i < separator.length; i++) {
                final int behind = at + i - record.length;
                final byte found = behind < 0 ? record[at + i] : separator[behind];
                if (found != separator[i]) {
                    return false;
                }
            }
            return true;
        }

        @Override
        void write(final byte[] record, final ByteBuffer content) {
            content.put(record).put(separator);
        }
    }

    /** Records that line readers tell apart: those of NiFi end a line at a carriage return, too. */
    private static sealed class Lines extends Separated {
        Lines(final String mimeType) {
            super(new byte[] {NEWLINE}, mimeType);
        }

        @Override
        @Nullable
        String objection(final byte[] record) {
            for (int at = 0; at < record.length; at++) {
                if (record[at] == NEWLINE) {
                    return containsSeparator(at);
                }
                if (record[at] == CARRIAGE_RETURN && at < record.length - 1) {
                    return "contains a carriage return at byte " + at;
                }
            }
            return null;
        }
    }

    /** Lines, each of which is a value. */
    private static final class JsonLines extends Lines {
        JsonLines() {
            super("application/x-ndjson");
        }

        @Override
        @Nullable
        String objection(final byte[] record) {
            for (final byte each : record) {
                if (each != ' ' && each != '\t' && each != CARRIAGE_RETURN) {
                    return super.objection(record);
                }
            }
            return "is blank, and so no JSON";
        }
    }

    /** Any bytes. */
    private static final class LengthPrefixed extends RecordFraming {
        LengthPrefixed() {
            super("application/octet-stream", Integer.BYTES);
        }

        @Override
        @Nullable
        String objection(final byte[] record) {
            return null;
        }

        @Override
        void write(final byte[] record, final ByteBuffer content) {
            content.putInt(record.length).put(record);
        }
    }
}
