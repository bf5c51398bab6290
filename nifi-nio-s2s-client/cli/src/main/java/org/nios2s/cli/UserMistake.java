// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

/** Something that the user of the command can put right; the message says what. Immutable; any thread. */
final class UserMistake extends RuntimeException {
    private static final long serialVersionUID = 1;

    UserMistake(final String message) {
        super(message);
    }

    UserMistake(final String message, final Throwable cause) {
        super(message, cause);
    }
}
