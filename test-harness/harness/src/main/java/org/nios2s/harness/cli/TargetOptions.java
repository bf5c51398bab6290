// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.ClientTls;
import org.nios2s.harness.load.LoadSettings.Direction;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.wire.WireProbe;
import org.nios2s.harness.load.wire.WireTls;
import org.nios2s.harness.nifi.ExternalNifi;
import org.nios2s.harness.plan.Axis;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.target.ExternalTarget;
import org.nios2s.harness.target.ManagedTarget;
import org.nios2s.harness.target.MeasuredTarget;
import org.nios2s.harness.target.Target;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options that name a NiFi which runs already, in place of those that are started. Used on the command's thread.
 */
final class TargetOptions {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** Settings of what is measured that may be named, since they can be compared with what runs. */
    private static final Set<String> MAY_AGREE = Set.of(Parameter.LISTENER.key(), Parameter.SECURE.key());
    /** Settings that look into what is measured, or change its flow. */
    private static final List<Parameter> OF_OWN = List.of(Parameter.LIVE_HEAP, Parameter.IDLE_PEERS, Parameter.LARGE);

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = "--home", paramLabel = "DIR", description = "Measures the NiFi that 'nifi start' started there.")
    private Path home;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "Measures the NiFi at this web address, as http://127.0.0.1:8080/nifi: asks"
                    + " it for its RAW ports, those of all nodes of a cluster; nothing but the load touches it.")
    private String url;

    @Option(
            names = "--port-name",
            paramLabel = "NAME",
            description =
                    "Name or identifier of the input port (to pull: output port), with --url; default: the only one.")
    private String portName;

    @Option(
            names = "--key-store",
            paramLabel = "FILE",
            description = "Key of the client, PKCS12 or JKS, for a secured --url.")
    private Path keyStore;

    @Option(names = "--trust-store", paramLabel = "FILE", description = "Trusted certificates, in the same formats.")
    private Path trustStore;

    @Option(
            names = "--password",
            paramLabel = "TEXT",
            arity = "0..1",
            interactive = true,
            description = "Password of both stores and the key; without TEXT it is asked for.")
    private char[] password;

    /** Whether the processes of what is measured are on this machine and known. */
    boolean seesProcess() {
        return url == null;
    }

    /** Refuses what the one that the user named cannot have; the message is fit for a user. */
    void check(final Experiment experiment) {
        if (home == null && url == null) {
            return;
        }
        for (final String key : experiment.base().targetSettings().explicit().keySet()) {
            if (!MAY_AGREE.contains(key)) {
                throw usage(
                        "%s measures the NiFi that runs there as it is, without '%s %s': leave it out, or start one so: nifi start --%s …"
                                .formatted(
                                        option(),
                                        key,
                                        experiment
                                                .base()
                                                .targetSettings()
                                                .explicit()
                                                .get(key),
                                        optionOf(key)));
            }
        }
        for (final Axis axis : experiment.axes()) {
            refuse(axis);
        }
        if (experiment.base().flag(Parameter.FRESH)) {
            throw usage(option() + " measures one NiFi, and fresh needs one for each measurement: write --fresh false");
        }
        if (experiment.starts() > 1) {
            throw usage(option() + " measures one start of NiFi: leave --starts out");
        }
        experiment.cells().forEach(cell -> check(cell.settings()));
        if (home == null
                && experiment.cells().stream()
                                .map(cell -> cell.settings().text(Parameter.DIRECTION))
                                .distinct()
                                .count()
                        > 1) {
            throw usage(option() + " names one port, which takes or gives: measure push and pull one after the other");
        }
    }

    private void refuse(final Axis axis) {
        final Set<String> others = new TreeSet<>(axis.keys());
        final boolean ofListener = others.remove(Parameter.LISTENER.key());
        final Optional<String> varied = axis.keys().stream()
                .filter(Settings::isOfTarget)
                .filter(key -> !key.equals(Parameter.LISTENER.key()))
                .findFirst();
        if (varied.isPresent()) {
            throw usage("%s measures one NiFi as it is, and '%s' varies %s: leave that axis out, or measure without %s"
                    .formatted(option(), axis.name(), varied.get(), option()));
        }
        if (ofListener && !others.isEmpty()) {
            throw usage(
                    "%s measures one listener, and the situations of '%s' change %s with it: write them as an axis of their own"
                            .formatted(option(), axis.name(), String.join(", ", others)));
        }
    }

    private void check(final Settings settings) {
        if (seesProcess()) {
            return;
        }
        for (final Parameter parameter : OF_OWN) {
            if (!settings.text(parameter).equals(parameter.defaultValue())) {
                throw usage(
                        "%s cannot have %s, which needs a NiFi on this machine: use --home, or let the harness start one"
                                .formatted(option(), parameter.key()));
            }
        }
    }

    private String option() {
        return home == null ? "--url" : "--home";
    }

    private static String optionOf(final String key) {
        return key.startsWith(Settings.PROPERTY) ? "set " + key.substring(Settings.PROPERTY.length()) + "=" : key;
    }

    /** The NiFi that the user named; empty when NiFis are to be started. */
    Optional<MeasuredTarget> given(final Direction direction) {
        if (home != null && url != null) {
            throw usage("--home and --url exclude each other");
        }
        final long stores = Stream.of(keyStore, trustStore, password)
                .filter(Objects::nonNull)
                .count();
        if (stores != 0 && (stores < 3 || url == null)) {
            throw usage("--key-store, --trust-store and --password go together, with --url");
        }
        if (portName != null && url == null) {
            throw usage("--port-name goes with --url");
        }
        if (home != null) {
            return Optional.of(ManagedTarget.attach(home));
        }
        return url == null ? Optional.empty() : Optional.of(new ExternalTarget(atUrl(direction)));
    }

    private ClientTls tls() {
        return keyStore == null ? null : ClientTls.of(keyStore, trustStore, password);
    }

    private Target atUrl(final Direction direction) {
        try {
            final ClientTls tls = tls();
            final ExternalNifi nifi = ExternalNifi.at(url, tls == null ? null : tls.context());
            final ExternalNifi.RawSocket found = nifi.find(portName, direction);
            final ClientTls used = found.secure() ? tls : null;
            return target(nifi.toString(), nodes(found.address(), used), used);
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "--url: " + e.getMessage(), e);
        }
    }

    private static List<TargetAddress> nodes(final TargetAddress address, final ClientTls tls) {
        try {
            return address.socket().isUnresolved()
                    ? List.of(address)
                    : WireProbe.nodes(address, WireTls.client(tls), PATIENCE);
        } catch (final InterruptedException e) {
            throw HarnessException.interrupted("asking for the nodes of the cluster", e);
        }
    }

    private static Target target(final String name, final List<TargetAddress> addresses, final ClientTls tls) {
        for (final TargetAddress address : addresses) {
            if (address.socket().isUnresolved()) {
                throw new HarnessException("The host " + address.host() + " has no address");
            }
        }
        return new Target(name, addresses.getFirst(), null, null, tls, List.of())
                .and(addresses.subList(1, addresses.size()));
    }

    private ParameterException usage(final String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
