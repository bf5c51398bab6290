// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

/** Codes of responses, with the names and numbers of NiFi's {@code ResponseCode}. Immutable; any thread. */
public enum ResponseCode {
    /** NiFi keeps the number for longer codes. */
    RESERVED(0),
    PROPERTIES_OK(1),
    CONTINUE_TRANSACTION(10),
    FINISH_TRANSACTION(11),
    /** Its text is the checksum, or empty. */
    CONFIRM_TRANSACTION(12, true),
    TRANSACTION_FINISHED(13),
    TRANSACTION_FINISHED_BUT_DESTINATION_FULL(14),
    CANCEL_TRANSACTION(15, true),
    BAD_CHECKSUM(19),
    MORE_DATA(20),
    NO_MORE_DATA(21),
    UNKNOWN_PORT(200),
    PORT_NOT_IN_VALID_STATE(201, true),
    PORTS_DESTINATION_FULL(202),
    UNKNOWN_PROPERTY_NAME(230, true),
    ILLEGAL_PROPERTY_VALUE(231, true),
    MISSING_PROPERTY(232, true),
    UNAUTHORIZED(240, true),
    ABORT(250, true),
    UNRECOGNIZED_RESPONSE_CODE(254),
    END_OF_STREAM(255);

    private static final ResponseCode[] BY_NUMBER = new ResponseCode[256];

    static {
        for (final ResponseCode code : values()) {
            BY_NUMBER[code.number] = code;
        }
    }

    private final int number;
    private final boolean hasText;

    ResponseCode(final int number) {
        this(number, false);
    }

    ResponseCode(final int number, final boolean hasText) {
        this.number = number;
        this.hasText = hasText;
    }

    /**
     * @param number of 0 to 255, as the wire has it
     * @return null if no code has this number
     */
    public static ResponseCode of(final int number) {
        return BY_NUMBER[number];
    }

    /** @return the byte that stands for it on the wire, unsigned */
    public int number() {
        return number;
    }

    /** @return whether a text follows on the wire */
    public boolean hasText() {
        return hasText;
    }
}
