// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.net.SocketTimeoutException;
import java.util.regex.Pattern;

/**
 * Words for why a transaction failed, the same for the same cause, so that failures can be counted by it. Stateless.
 */
public final class FailureCause {

    private static final Pattern VARIABLE_PART = Pattern.compile(
            "[0-9a-f]{8}-[0-9a-f-]{27}|/?[\\w.-]*[/@][\\d.:]+\\d|\\bL?:?\\d+\\.\\d+\\.\\d+\\.\\d+(:\\d+)?|\\d+|@[0-9a-f]+");
    private static final int MAX_LENGTH = 160;

    private FailureCause() {}

    /** Names a cause: words without addresses, numbers and ids. */
    public static String of(final String step, final Throwable cause) {
        final Throwable root = rootOf(cause);
        if (root instanceof SocketTimeoutException) {
            return "time-out while " + step;
        }
        final String message = root.getMessage() == null ? "" : ": " + root.getMessage();
        return of(step, root.getClass().getSimpleName() + message);
    }

    /** The root cause of a failure. */
    public static Throwable rootOf(final Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return root;
    }

    /** Names a cause: words without addresses, numbers and ids. */
    public static String of(final String step, final String message) {
        final String same = VARIABLE_PART.matcher(message).replaceAll("#").strip();
        final String text = same + " while " + step;
        return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
    }
}
