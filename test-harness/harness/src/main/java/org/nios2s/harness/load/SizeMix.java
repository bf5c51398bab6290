// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How large packets are: all alike, or of several sizes with a share each, such as {@code 70%10b+25%1k+5%100k}. Which
 * packet has which size follows from its number, so that every run and every listener gets the same. Immutable, any
 * thread.
 *
 * @param shares sizes with their percentages, which add up to 100
 */
public record SizeMix(List<Share> shares) {

    private static final Pattern SHARE = Pattern.compile("(?:(\\d{1,3})%)?(\\w+)");
    private static final int HUNDRED = 100;
    private static final int SPREAD = 61;

    /** A size and how many packets of a hundred have it. */
    public record Share(int percent, long bytes) {}

    public SizeMix {
        shares = List.copyOf(shares);
        if (shares.stream().mapToInt(Share::percent).sum() != HUNDRED) {
            throw new IllegalArgumentException(
                    "the shares of a mix of sizes add up to 100 %, as in 70%10b+25%1k+5%100k");
        }
    }

    /** Every packet has this size. */
    public static SizeMix of(final long bytes) {
        return new SizeMix(List.of(new Share(HUNDRED, bytes)));
    }

    /** Reads a size, or percentages and sizes joined by {@code +}. */
    @JsonCreator
    public static SizeMix parse(final String text) {
        final List<Share> shares = new ArrayList<>();
        for (final String part : text.strip().split("\\+")) {
            final Matcher share = SHARE.matcher(part.strip());
            if (!share.matches()) {
                throw new IllegalArgumentException(
                        "'" + text + "' is not a size: write 10b, 64k, 100m or a mix such as 70%10b+25%1k+5%100k");
            }
            final int percent = share.group(1) == null ? HUNDRED : Integer.parseInt(share.group(1));
            shares.add(new Share(percent, Units.bytes(share.group(2))));
        }
        return new SizeMix(shares);
    }

    int shareOf(final int client, final int transaction, final int packet) {
        // A number without a common divisor with 100 goes through all hundredths before it comes back to the first.
        int hundredth = Math.floorMod((client * 31L + transaction * 7L + packet) * SPREAD, HUNDRED);
        for (int share = 0; share < shares.size(); share++) {
            hundredth -= shares.get(share).percent();
            if (hundredth < 0) {
                return share;
            }
        }
        throw new IllegalStateException("the shares add up to 100 %");
    }

    public long largest() {
        return shares.stream().mapToLong(Share::bytes).max().orElseThrow();
    }

    @Override
    @JsonValue
    public String toString() {
        return shares.size() == 1
                ? Units.text(shares.getFirst().bytes())
                : shares.stream()
                        .map(share -> share.percent() + "%" + Units.text(share.bytes()))
                        .collect(Collectors.joining("+"));
    }
}
