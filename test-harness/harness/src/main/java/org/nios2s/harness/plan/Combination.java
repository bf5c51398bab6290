// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import static org.nios2s.harness.plan.Parameter.ARRIVALS;
import static org.nios2s.harness.plan.Parameter.ATTRIBUTES;
import static org.nios2s.harness.plan.Parameter.CLIENT;
import static org.nios2s.harness.plan.Parameter.CLIENTS;
import static org.nios2s.harness.plan.Parameter.CONNECTIONS;
import static org.nios2s.harness.plan.Parameter.DIRECTION;
import static org.nios2s.harness.plan.Parameter.FAULT;
import static org.nios2s.harness.plan.Parameter.GZIP;
import static org.nios2s.harness.plan.Parameter.IDLE_PEERS;
import static org.nios2s.harness.plan.Parameter.INTERVAL;
import static org.nios2s.harness.plan.Parameter.LARGE;
import static org.nios2s.harness.plan.Parameter.LIVE_HEAP;
import static org.nios2s.harness.plan.Parameter.NIFI_HOME;
import static org.nios2s.harness.plan.Parameter.NIFI_VERSION;
import static org.nios2s.harness.plan.Parameter.NODES;
import static org.nios2s.harness.plan.Parameter.POOL;
import static org.nios2s.harness.plan.Parameter.PORTS;
import static org.nios2s.harness.plan.Parameter.RATE;
import static org.nios2s.harness.plan.Parameter.RECONNECT;
import static org.nios2s.harness.plan.Parameter.REQUESTS;
import static org.nios2s.harness.plan.Parameter.ROUTE;
import static org.nios2s.harness.plan.Parameter.SECURE;
import static org.nios2s.harness.plan.Parameter.SINK;
import static org.nios2s.harness.plan.Parameter.SIZE;
import static org.nios2s.harness.plan.Parameter.SLOW_PEERS;
import static org.nios2s.harness.plan.Parameter.STAGGER;
import static org.nios2s.harness.plan.Parameter.TRANSACTIONS;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.nios2s.harness.load.SizeMix;

/** Refuses settings of which one would have no effect beside another. Stateless, any thread. */
final class Combination {

    private static final String NEEDS_WIRE = "with --client wire";

    private Combination() {}

    /** Throws for the first setting that could not be honoured; the message is fit for a user. */
    static void check(final Settings settings) {
        if (!settings.text(NIFI_HOME).isEmpty() && !settings.text(NIFI_VERSION).isEmpty()) {
            throw new IllegalArgumentException("nifi-home and nifi-version are mutually exclusive: write one of them");
        }
        target(settings);
        client(settings);
        load(settings);
        fault(settings);
    }

    /** Refuses loads beside another that it cannot run with. */
    static void checkBeside(final Settings settings) {
        final Map<String, Settings> beside = settings.beside();
        beside.forEach((name, load) -> {
            check(load);
            load.load();
            if (load.flag(LARGE)) {
                throw new IllegalArgumentException(
                        "The load '%s' beside another cannot be large: measure it by itself".formatted(name));
            }
        });
        if (beside.isEmpty()) {
            return;
        }
        refuse(settings, "loads beside it: write it without them", NODES, PORTS, LARGE, LIVE_HEAP);
        final long pulls = Stream.concat(Stream.of(settings), beside.values().stream())
                .filter(load -> load.text(DIRECTION).equals("pull"))
                .count();
        if (pulls > 1) {
            throw new IllegalArgumentException(
                    "Two loads at once pull, and one port has what is pulled: write one of them");
        }
    }

    private static void fault(final Settings settings) {
        if (settings.fault().isEmpty()) {
            return;
        }
        final String instead = "fault " + settings.text(FAULT) + ": write it without a fault";
        refuse(settings, instead, NODES, PORTS, LARGE, LIVE_HEAP, IDLE_PEERS, SLOW_PEERS);
        if (settings.text(SINK).equals("null")) {
            throw new IllegalArgumentException("A fault needs a NiFi: write sink nifi");
        }
        final boolean pulling = Stream.concat(Stream.of(settings), settings.beside().values().stream())
                .anyMatch(load ->
                        Client.of(load) == Client.GROUP && load.text(DIRECTION).equals("pull"));
        if (pulling && settings.fault().get().endsProcess()) {
            throw new IllegalArgumentException(
                    "client group pulls what the NiFi that is restarted makes, which forgets how much that was: pull with client nifi");
        }
        if (settings.fault().get().kind() == Fault.Kind.STOP_PORT) {
            refuse(settings, instead, DIRECTION);
        }
    }

    private static void target(final Settings settings) {
        if (settings.text(SINK).equals("null")) {
            refuse(
                    settings,
                    "sink null, which is no NiFi: write it with sink nifi",
                    NIFI_HOME,
                    NIFI_VERSION,
                    NODES,
                    SECURE,
                    PORTS,
                    POOL,
                    ROUTE,
                    DIRECTION,
                    LARGE);
            if (List.of(Client.NIFI, Client.GROUP).contains(Client.of(settings))) {
                throw new IllegalArgumentException(
                        "client %s has no effect beside sink null, which has no web address and no processors: write client wire"
                                .formatted(settings.text(CLIENT)));
            }
        }
        if (settings.number(NODES) > 1) {
            refuse(settings, "nodes " + settings.text(NODES) + ": write it with one node", PORTS, POOL, ROUTE, LARGE);
        }
        if (settings.number(PORTS) > 1) {
            final String instead = "ports " + settings.text(PORTS) + ": write it with one port";
            refuse(settings, instead, ROUTE, DIRECTION, LARGE);
        }
        if (settings.text(ROUTE).equals("stored")) {
            refuse(settings, "route stored: write route direct", SECURE, DIRECTION, LARGE);
        }
    }

    private static void client(final Settings settings) {
        final Client client = Client.of(settings);
        if (client != Client.NIO) {
            refuse(settings, "client " + settings.text(CLIENT) + ": write it with --client nio", CONNECTIONS);
        }
        if (client != Client.WIRE) {
            refuse(settings, "client " + settings.text(CLIENT) + ": write it " + NEEDS_WIRE, LARGE);
        }
        if (client != Client.WIRE && client != Client.MINIFI) {
            refuse(settings, "client " + settings.text(CLIENT) + ": write it " + NEEDS_WIRE, RECONNECT, PORTS);
        }
        if (client == Client.MINIFI) {
            refuse(settings, "client minifi, which is measured uncompressed: write it " + NEEDS_WIRE, GZIP);
        }
        if (client == Client.GROUP) {
            refuse(
                    settings,
                    "client group, which pushes or pulls as fast as it can: write it " + NEEDS_WIRE,
                    CLIENTS,
                    NODES,
                    ROUTE,
                    SECURE,
                    INTERVAL,
                    RATE,
                    REQUESTS,
                    TRANSACTIONS,
                    GZIP);
            requireOneSize(settings, "client group");
        }
    }

    private static void load(final Settings settings) {
        if (!settings.has(INTERVAL) && !settings.has(RATE)) {
            refuse(settings, "a load without a pace: write interval or rate", ARRIVALS);
        }
        if (settings.text(ARRIVALS).equals("bursts")) {
            refuse(settings, "arrivals bursts, in which all clients begin together: leave it out", STAGGER);
        }
        if (settings.text(DIRECTION).equals("pull")) {
            refuse(settings, "direction pull: write direction push", LARGE);
            requireOneSize(settings, "direction pull");
        }
        if (settings.flag(LARGE)) {
            refuse(
                    settings,
                    "large, which is one FlowFile of each client: write large false",
                    GZIP,
                    ATTRIBUTES,
                    REQUESTS,
                    TRANSACTIONS,
                    INTERVAL,
                    RATE);
            requireOneSize(settings, "large");
        }
    }

    private static void requireOneSize(final Settings settings, final String beside) {
        if (SizeMix.parse(settings.text(SIZE)).shares().size() > 1) {
            throw new IllegalArgumentException(
                    "size %s, a mix, has no effect beside %s: write one size".formatted(settings.text(SIZE), beside));
        }
    }

    private static void refuse(final Settings settings, final String beside, final Parameter... parameters) {
        for (final Parameter parameter : parameters) {
            if (settings.has(parameter)) {
                throw new IllegalArgumentException(
                        "%s %s has no effect beside %s".formatted(parameter.key(), settings.text(parameter), beside));
            }
        }
    }

    /** The clients that differ in what they can do. */
    private enum Client {
        NIFI,
        GROUP,
        MINIFI,
        NIO,
        WIRE;

        private static Client of(final Settings settings) {
            return switch (settings.text(CLIENT)) {
                case "nio" -> NIO;
                case "nifi" -> NIFI;
                case "group" -> GROUP;
                case "minifi" -> MINIFI;
                default -> WIRE;
            };
        }
    }
}
