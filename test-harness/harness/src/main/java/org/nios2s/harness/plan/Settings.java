// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.nios2s.harness.load.Arrivals;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.LoadSettings.Connection;
import org.nios2s.harness.load.LoadSettings.Direction;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.load.SizeMix;
import org.nios2s.harness.load.Units;
import org.nios2s.harness.plan.Parameter.Scope;

/**
 * Values of parameters, and lines of {@code nifi.properties} under {@code set.KEY}; what has no value has its default.
 * Immutable; any thread.
 *
 * @param explicit what was given, by key
 */
public record Settings(Map<String, String> explicit) {

    /** Before the key of a line of nifi.properties. */
    public static final String PROPERTY = "set.";

    /** Lines of nifi.properties that mean nothing to the stock listener. */
    private static final String OF_NIO = PROPERTY + "nifi.remote.input.nio.";

    /** Characters of each attribute that is added to a packet. */
    private static final int ATTRIBUTE_SIZE = 20;

    public static final Settings DEFAULTS = new Settings(Map.of());

    /** Copies the map and orders it by key. */
    public Settings {
        explicit = Collections.unmodifiableMap(new TreeMap<>(explicit));
    }

    /** The same with another value; the message of an exception is fit for a user. */
    public Settings with(final String key, final String value) {
        if (!key.startsWith(PROPERTY)) {
            Parameter.find(key)
                    .orElseThrow(() -> new IllegalArgumentException(unknown(key)))
                    .check(value);
        }
        final Map<String, String> changed = new TreeMap<>(explicit);
        changed.put(key, value);
        return new Settings(changed);
    }

    private static String unknown(final String key) {
        return "'%s' is not a setting%s; there are %s, and %sKEY for a line of nifi.properties"
                .formatted(key, Nearest.words(key, Parameter.keys()), Parameter.names(), PROPERTY);
    }

    public Settings with(final Map<String, String> others) {
        Settings changed = this;
        for (final Map.Entry<String, String> other : others.entrySet()) {
            changed = changed.with(other.getKey(), other.getValue());
        }
        return changed;
    }

    /** Whether both mean the same work on the same kind of server: a default need not be said. */
    public boolean meansTheSameAs(final Settings other) {
        return effective().equals(other.effective());
    }

    private Map<String, String> effective() {
        final Map<String, String> effective = new TreeMap<>(explicit);
        final boolean stock = text(Parameter.LISTENER).equals("stock");
        effective
                .entrySet()
                .removeIf(entry -> stock && entry.getKey().startsWith(OF_NIO)
                        || Parameter.find(entry.getKey())
                                .filter(found -> found.defaultValue().equals(entry.getValue()))
                                .isPresent());
        return effective;
    }

    /** Whether all of these have the same value here, as it was given or as it usually is. */
    public boolean agreesWith(final Map<String, String> others) {
        return others.entrySet().stream().allMatch(other -> other.getValue().equals(value(other.getKey())));
    }

    private String value(final String key) {
        return Parameter.find(key).map(this::text).orElseGet(() -> explicit.getOrDefault(key, ""));
    }

    /** Whether a setting was given a value that is not its default. */
    public boolean has(final Parameter parameter) {
        return !text(parameter).equals(parameter.defaultValue());
    }

    /** Refuses settings that would have no effect beside others; the message of an exception is fit for a user. */
    void requireEffect() {
        for (final Parameter parameter : Parameter.values()) {
            if (has(parameter)) {
                parameter.needs().forEach((other, possible) -> requireEffect(parameter, other, possible));
            }
        }
        final boolean oneSize = flag(Parameter.LARGE) || load().shape().direction() == Direction.PULL;
        if (oneSize && load().shape().size().shares().size() > 1) {
            throw new IllegalArgumentException(
                    "size %s is a mix: direction pull and large have one size".formatted(text(Parameter.SIZE)));
        }
    }

    private void requireEffect(final Parameter parameter, final Parameter other, final List<String> possible) {
        final boolean effective = possible.contains(Parameter.ANY) ? has(other) : possible.contains(text(other));
        if (!effective) {
            final String value = text(other).isEmpty() ? "''" : text(other);
            throw new IllegalArgumentException(
                    "%s %s has no effect beside %s %s".formatted(parameter.key(), text(parameter), other.key(), value));
        }
    }

    /** The settings of the target: if they are equal, the server is the same. */
    public Settings targetSettings() {
        final Map<String, String> kept = new TreeMap<>(explicit);
        kept.keySet().removeIf(key -> !isOfTarget(key));
        return new Settings(kept);
    }

    /** Whether another value of this key means another server. */
    public static boolean isOfTarget(final String key) {
        return key.startsWith(PROPERTY)
                || Parameter.find(key)
                        .filter(found -> found.scope() == Scope.TARGET)
                        .isPresent();
    }

    /** The lines of nifi.properties that were given. */
    public Map<String, String> properties() {
        final Map<String, String> properties = new TreeMap<>();
        explicit.keySet().stream()
                .filter(key -> key.startsWith(PROPERTY))
                .forEach(key -> properties.put(key.substring(PROPERTY.length()), explicit.get(key)));
        return properties;
    }

    /** A value as it was written. */
    public String text(final Parameter parameter) {
        return explicit.getOrDefault(parameter.key(), parameter.defaultValue());
    }

    public int number(final Parameter parameter) {
        return Integer.parseInt(text(parameter));
    }

    public Duration time(final Parameter parameter) {
        return Units.time(text(parameter));
    }

    public boolean flag(final Parameter parameter) {
        return Boolean.parseBoolean(text(parameter));
    }

    /** A value that is one of some words. */
    public <T extends Enum<T>> T word(final Parameter parameter, final Class<T> words) {
        try {
            return Enum.valueOf(words, text(parameter).toUpperCase(Locale.ROOT));
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "%s: '%s' is not possible. %s".formatted(parameter.key(), text(parameter), parameter.meaning()), e);
        }
    }

    /** The load of these settings; the message of an exception is fit for a user. */
    public LoadSettings load() {
        final int clients = number(Parameter.CLIENTS);
        final boolean large = flag(Parameter.LARGE);
        final Arrivals arrivals = word(Parameter.ARRIVALS, Arrivals.class);
        final Shape shape = new Shape(
                word(Parameter.DIRECTION, Direction.class),
                large ? 1 : number(Parameter.PACKETS),
                SizeMix.parse(text(Parameter.SIZE)),
                number(Parameter.ATTRIBUTES),
                ATTRIBUTE_SIZE,
                flag(Parameter.GZIP));
        return new LoadSettings(
                clients,
                large ? 1 : LoadSettings.UNLIMITED,
                large ? Duration.ZERO : time(Parameter.DURATION),
                time(Parameter.INTERVAL),
                arrivals == Arrivals.BURSTS ? Duration.ZERO : time(Parameter.STAGGER),
                time(Parameter.TIMEOUT),
                shape,
                new Connection(flag(Parameter.SECURE), flag(Parameter.RECONNECT), number(Parameter.CONNECTIONS)),
                arrivals);
    }
}
