// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import static org.nios2s.harness.plan.Parameter.CLIENT;
import static org.nios2s.harness.plan.Parameter.DIRECTION;
import static org.nios2s.harness.plan.Parameter.LARGE;
import static org.nios2s.harness.plan.Parameter.LIVE_HEAP;
import static org.nios2s.harness.plan.Parameter.PORTS;
import static org.nios2s.harness.plan.Parameter.SIZE;

import java.util.ArrayList;
import java.util.List;
import org.nios2s.harness.load.SizeMix;

/** Refuses settings that cannot hold together, and that no {@link Parameter} tells by itself. Stateless, any thread. */
final class Combination {

    private Combination() {}

    /** Throws for the first settings that could not be honoured; the message is fit for a user. */
    static void check(final Settings settings) {
        final List<Settings> loads = new ArrayList<>(List.of(settings));
        settings.beside().forEach((name, load) -> {
            loads.add(load);
            if (load.flag(LARGE)) {
                throw new IllegalArgumentException(
                        "The load '%s' beside another cannot be large: measure it by itself".formatted(name));
            }
        });
        loads.forEach(Combination::checkOne);
        for (final Parameter alone : loads.size() > 1 ? List.of(PORTS, LARGE, LIVE_HEAP) : List.<Parameter>of()) {
            if (settings.has(alone)) {
                throw new IllegalArgumentException(
                        "%s %s has no effect beside other loads".formatted(alone.key(), settings.text(alone)));
            }
        }
        final List<Settings> pulls = loads.stream()
                .filter(load -> load.text(DIRECTION).equals("pull"))
                .toList();
        if (pulls.size() > 1) {
            throw new IllegalArgumentException(
                    "Two loads at once pull, and one port has what is pulled: write one of them");
        }
        settings.fault().ifPresent(fault -> pulls.forEach(pull -> check(fault, pull)));
    }

    private static void checkOne(final Settings load) {
        for (final Parameter parameter : Parameter.values()) {
            parameter.requireEffect(load);
        }
        load.load();
        final boolean oneSize = load.flag(LARGE)
                || load.text(DIRECTION).equals("pull")
                || load.text(CLIENT).equals("group");
        if (oneSize && SizeMix.parse(load.text(SIZE)).shares().size() > 1) {
            throw new IllegalArgumentException("size %s is a mix: direction pull, client group and large have one size"
                    .formatted(load.text(SIZE)));
        }
    }

    private static void check(final Fault fault, final Settings pull) {
        if (fault.kind() == Fault.Kind.STOP_PORT) {
            throw new IllegalArgumentException("direction pull has no effect beside a fault that stops the input port");
        }
        if (fault.endsProcess() && pull.text(CLIENT).equals("group")) {
            throw new IllegalArgumentException(
                    "client group pulls what the NiFi that is restarted makes, which forgets how much that was: pull with client nifi");
        }
    }
}
