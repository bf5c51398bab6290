// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.nios2s.harness.plan.Parameter.Scope;

/**
 * Loads that run beside another one, as settings of that one: {@code beside.NAME.SETTING}. Stateless; any thread.
 */
final class LoadsBeside {

    static final String KEY = "beside";
    static final String PREFIX = KEY + ".";

    private static final String NAME = "name";

    private LoadsBeside() {}

    /** The settings that a list of loads in a file stands for; the message of an exception is fit for a user. */
    static Map<String, String> flat(final Object value) {
        final Map<String, String> flat = new LinkedHashMap<>();
        final Set<String> names = new HashSet<>();
        int number = 0;
        for (final Object each : value instanceof final List<?> list ? list : List.of(value)) {
            number++;
            if (!(each instanceof final Map<?, ?> load)) {
                throw new IllegalArgumentException(
                        "'beside' is a list of loads, such as [{name: pull, direction: pull}], not '" + each + "'");
            }
            final Object named = load.get(NAME);
            final String name = named == null
                    ? "load " + (number + 1)
                    : String.valueOf(named).replace('.', ' ');
            if (!names.add(name)) {
                throw new IllegalArgumentException(
                        "Two loads beside another have the name '%s': name them apart".formatted(name));
            }
            load.forEach((key, setting) -> {
                if (!NAME.equals(key)) {
                    flat.put(PREFIX + name + "." + key, String.valueOf(setting));
                }
            });
        }
        return flat;
    }

    /** Refuses what a load beside another cannot have; the message of an exception is fit for a user. */
    static void check(final String key, final String value) {
        final String setting = key.substring(key.lastIndexOf('.') + 1);
        final Parameter parameter = Parameter.find(setting)
                .filter(found -> found.scope() == Scope.LOAD)
                .orElseThrow(() -> new IllegalArgumentException(
                        "'%s' cannot be set of a load beside another, which shares server and plan with it; settings of a load are %s"
                                .formatted(setting, Parameter.names(Scope.LOAD))));
        parameter.check(value);
    }

    static Map<String, Settings> of(final Settings settings) {
        final Map<String, Map<String, String>> changes = new TreeMap<>();
        settings.explicit().forEach((key, value) -> {
            if (key.startsWith(PREFIX)) {
                final int last = key.lastIndexOf('.');
                changes.computeIfAbsent(key.substring(PREFIX.length(), last), name -> new TreeMap<>())
                        .put(key.substring(last + 1), value);
            }
        });
        final Map<String, String> shared = new TreeMap<>(settings.explicit());
        shared.keySet()
                .removeIf(key -> key.startsWith(PREFIX)
                        || Parameter.find(key)
                                .filter(found -> found.scope() == Scope.PROBE)
                                .isPresent());
        final Map<String, Settings> loads = new LinkedHashMap<>();
        changes.forEach((name, changed) -> loads.put(name, new Settings(shared).with(changed)));
        return loads;
    }
}
