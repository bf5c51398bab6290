// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.nifi.processor.DataUnit;
import org.apache.nifi.util.FormatUtils;
import org.apache.nifi.util.NiFiProperties;
import org.nios2s.listener.limits.RateRule;

/**
 * Parses the texts in {@code nifi.properties}, and remembers which keys it was asked for. Lives on one thread.
 *
 * <p>Each method takes a key without its prefix and the default for a key that is absent or blank, and throws an
 * {@link IllegalArgumentException} that names key, value and the accepted values.
 */
record SettingsReader(NiFiProperties properties, String prefix, Map<String, String> texts) {
    private static final String ADDRESSES =
            "addresses or networks, separated by commas, such as 10.0.0.7,10.1.0.0/16,2001:db8::/32";

    private static final Pattern DATA_SIZE_TEXT =
            Pattern.compile("\\d+(\\.\\d+)?\\s*[KMGT]?B", Pattern.CASE_INSENSITIVE);

    /** By default a peer waits 30 s for our answer: by then the contents of the sockets' buffers have to be read. */
    private static final long MIN_BYTES_PER_SECOND = 16 * 1024L;

    private static final long MAX_BYTES_PER_SECOND = 1024L * 1024 * 1024 * 1024;
    private static final int MAX_TRANSACTIONS_PER_SECOND = 1_000_000;

    SettingsReader(final NiFiProperties properties, final String prefix) {
        this(properties, prefix, new LinkedHashMap<>());
    }

    private <T> T read(
            final String name, final String defaultText, final String accepted, final Function<String, T> parser) {
        final String configured = properties.getProperty(prefix + name);
        String text = defaultText;
        if (configured != null && !configured.isBlank()) {
            text = configured.trim();
        }
        texts.put(name, text);
        try {
            return parser.apply(text);
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException(prefix + name + "=" + text + " is not accepted; use " + accepted, e);
        }
    }

    boolean flag(final String name, final boolean defaultValue) {
        return choice(name, Flag.of(defaultValue)) == Flag.TRUE;
    }

    /** The two values of a flag. */
    private enum Flag {
        TRUE,
        FALSE;

        private static Flag of(final boolean value) {
            return value ? TRUE : FALSE;
        }
    }

    int number(final String name, final int defaultValue, final int min, final int max) {
        final String accepted = String.format(Locale.ROOT, "a whole number from %,d to %,d", min, max);
        return read(
                name, String.valueOf(defaultValue), accepted, text -> (int) inRange(Long.parseLong(text), min, max));
    }

    long dataSize(final String name, final String defaultText, final long min, final long max) {
        final String accepted = "a data size such as 64 MB, from %s to %s"
                .formatted(FormatUtils.formatDataSize(min), FormatUtils.formatDataSize(max));
        return read(name, defaultText, accepted, text -> inRange(parseDataSize(text), min, max));
    }

    /** Checks the whole text first: NiFi's parser takes the first size that it finds in a text, and ignores a sign before it. */
    private static long parseDataSize(final String text) {
        if (!DATA_SIZE_TEXT.matcher(text).matches()) {
            throw new IllegalArgumentException(text + " is not a data size");
        }
        return DataUnit.parseDataSize(text, DataUnit.B).longValue();
    }

    Duration time(final String name, final String defaultText, final long minMillis) {
        return read(
                name,
                defaultText,
                "a time such as 30 secs, from " + minMillis + " millis",
                text -> parseTime(text, minMillis));
    }

    /** Reads a time, or 0 for none. */
    Duration timeOrNone(final String name, final String defaultText) {
        return read(name, defaultText, "0, or a time such as 30 secs", text -> switch (text) {
            case "0" -> Duration.ZERO;
            default -> parseTime(text, 0);
        });
    }

    private static Duration parseTime(final String text, final long minMillis) {
        final long millis = FormatUtils.getTimeDuration(text, TimeUnit.MILLISECONDS);
        return Duration.ofMillis(inRange(millis, minMillis, Integer.MAX_VALUE));
    }

    /** Reads a time, 0 for never, or auto for twice the peer's own expiration. */
    IdleTimeout idleTimeout(final String name, final long minMillis) {
        final String accepted = "auto, 0, or a time such as 10 mins, from " + minMillis + " millis";
        return read(name, "auto", accepted, text -> switch (text.toLowerCase(Locale.ROOT)) {
            case "auto" -> IdleTimeout.AUTO;
            case "0" -> IdleTimeout.NEVER;
            default -> IdleTimeout.after(parseTime(text, minMillis));
        });
    }

    /**
     * Reads the rules of rates, sorted by their names: {@code rate.NAME.identity} and so on.
     *
     * @param group the text with which their keys begin
     */
    List<RateRule> rates(final String group) {
        final SortedSet<String> names = new TreeSet<>();
        for (final String key : properties.getPropertyKeys()) {
            if (key.startsWith(prefix + group)) {
                final String nameAndPart = key.substring(prefix.length() + group.length());
                // A key without a name is left to requireNoOther, which names it.
                if (nameAndPart.indexOf('.') > 0) {
                    names.add(nameAndPart.substring(0, nameAndPart.lastIndexOf('.')));
                }
            }
        }
        return names.stream().map(name -> rate(group, name)).toList();
    }

    private RateRule rate(final String group, final String name) {
        final String key = group + name;
        final RateRule rule = new RateRule(
                name,
                read(
                        key + ".identity",
                        "",
                        "a regular expression that the whole identity has to match, such as CN=agent-.*, OU=plant",
                        text -> optional(text, Pattern::compile)),
                read(key + ".address", "", ADDRESSES, text -> optional(text, Networks::parse)),
                rateOf(key + ".bytes", () -> dataSize(key + ".bytes", "", MIN_BYTES_PER_SECOND, MAX_BYTES_PER_SECOND)),
                rateOf(key + ".transactions", () -> number(key + ".transactions", 0, 1, MAX_TRANSACTIONS_PER_SECOND)));
        if (rule.identity().isEmpty() && rule.addresses().isEmpty()) {
            throw new IllegalArgumentException(
                    "%s%s names no peers; add %1$s%2$s.identity or %1$s%2$s.address".formatted(prefix, key));
        }
        if (rule.bytesPerSecond() == 0 && rule.transactionsPerSecond() == 0) {
            throw new IllegalArgumentException(
                    "%s%s limits nothing; add %1$s%2$s.bytes or %1$s%2$s.transactions".formatted(prefix, key));
        }
        return rule;
    }

    private static <T> Optional<T> optional(final String text, final Function<String, T> parser) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(parser.apply(text));
    }

    /** @return the value; 0 for a key without a value, since 0 itself is not accepted */
    private long rateOf(final String name, final LongSupplier reading) {
        final String configured = properties.getProperty(prefix + name);
        if (configured == null || configured.isBlank()) {
            texts.put(name, "");
            return 0;
        }
        return reading.getAsLong();
    }

    /** Reads addresses and networks, separated by commas; none by default. */
    Predicate<InetAddress> addresses(final String name) {
        return read(name, "", ADDRESSES, text -> optional(text, Networks::parse).orElse(Networks.NONE));
    }

    /** Reads a constant of an enumeration, in any case. */
    <E extends Enum<E>> E choice(final String name, final E defaultValue) {
        final Class<E> type = defaultValue.getDeclaringClass();
        final String all = Arrays.stream(type.getEnumConstants())
                .map(Enum::name)
                .collect(Collectors.joining(", "))
                .toLowerCase(Locale.ROOT);
        return read(
                name,
                defaultValue.name().toLowerCase(Locale.ROOT),
                all.replaceFirst(", (\\w+)$", " or $1"),
                text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT)));
    }

    private static long inRange(final long value, final long min, final long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(value + " is out of range");
        }
        return value;
    }

    String description() {
        return texts.entrySet().stream().map(Map.Entry::toString).collect(Collectors.joining(", "));
    }

    /** Refuses keys with the prefix that no method was asked for: they are misspelt. */
    void requireNoOther() {
        for (final String key : properties.getPropertyKeys()) {
            if (key.startsWith(prefix) && !texts.containsKey(key.substring(prefix.length()))) {
                throw new IllegalArgumentException(key + " is not a setting of the listener; there are "
                        + texts.keySet().stream().map(prefix::concat).toList());
            }
        }
    }
}
