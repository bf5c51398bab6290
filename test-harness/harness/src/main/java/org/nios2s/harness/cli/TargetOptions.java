// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.cli.EmbeddedOptions.Variant;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.RunningNifi;
import org.nios2s.harness.nifi.security.ClientTls;
import org.nios2s.harness.scenario.EmbeddedNifi;
import org.nios2s.harness.scenario.MeasuredNifi;
import org.nios2s.harness.scenario.Target;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options that say what is measured: NiFis that the command starts, or one that runs already.
 * For one thread.
 */
final class TargetOptions {

    private static final int MOST_NODES = 9;
    private static final Pattern HOST_AND_PORT = Pattern.compile("(.+):(\\d{1,5})");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--listener",
            split = ",",
            description = "Listeners of NiFis that are started, separated by commas: ${COMPLETION-CANDIDATES};"
                    + " default: stock,nio.")
    private List<Listener> listeners = List.of();

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "1",
            description = "Nodes of what is started: with 2 or more a cluster, over which the clients are spread;"
                    + " default: ${DEFAULT-VALUE}.")
    private int nodes;

    @Option(names = "--home", paramLabel = "DIR", description = "Uses the NiFi that 'nifi start' started there.")
    private Path home;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "Uses the NiFi at this web address, such as http://127.0.0.1:8080/nifi: asks it where its RAW"
                    + " port is; nothing but the load touches it.")
    private String url;

    @Option(
            names = "--port-name",
            paramLabel = "NAME",
            description = "Name of the input port, with --url; default: the only one.")
    private String portName;

    @Option(names = "--key-store", paramLabel = "FILE", description = "Key of the client, for a secured --url.")
    private Path keyStore;

    @Option(names = "--trust-store", paramLabel = "FILE", description = "Whom to trust, for a secured --url.")
    private Path trustStore;

    @Option(
            names = "--password",
            paramLabel = "TEXT",
            arity = "0..1",
            interactive = true,
            description = "Password of both stores and the key; without TEXT it is asked for.")
    private char[] password;

    @Option(
            names = "--target",
            paramLabel = "HOST:PORT",
            description =
                    "Uses the RAW Site-to-Site socket of any NiFi, with --port-id; nothing but the load touches it.")
    private String socket;

    @Option(names = "--port-id", paramLabel = "ID", description = "Identifier of the input port, with --target.")
    private String portId;

    @Option(
            names = "--api",
            paramLabel = "URL",
            description =
                    "Web address of the NiFi of --target, such as http://127.0.0.1:8080/nifi; for --client stock.")
    private URI api;

    /** Whether a NiFi is used that runs already. */
    boolean running() {
        return home != null || url != null || socket != null;
    }

    /** The listeners of what is started. */
    List<Listener> listeners() {
        return listeners.isEmpty()
                ? List.of(Listener.STOCK, Listener.NIO)
                : listeners.stream().distinct().toList();
    }

    /**
     * What is to be measured; each is opened, and if need be started, by its supplier.
     *
     * @param embedded how NiFis are started
     * @param client   what makes the load
     * @throws ParameterException when options contradict each other or what they name is none
     * @throws HarnessException   when what they name does not answer
     */
    List<Supplier<MeasuredNifi>> subjects(final EmbeddedOptions embedded, final ClientKind client) {
        return subjects(embedded, client, Variant.ONLY);
    }

    /** The same, where NiFis that are started differ from others of the command. */
    List<Supplier<MeasuredNifi>> subjects(
            final EmbeddedOptions embedded, final ClientKind client, final Variant variant) {
        check(embedded, client);
        if (home != null) {
            return List.of(() -> EmbeddedNifi.attach(home));
        }
        if (running()) {
            final Target given = url == null ? atSocket(client) : atUrl();
            return List.of(() -> MeasuredNifi.foreign(given));
        }
        return listeners().stream()
                .<Supplier<MeasuredNifi>>map(listener -> () -> start(embedded, listener, variant))
                .toList();
    }

    private MeasuredNifi start(final EmbeddedOptions embedded, final Listener listener, final Variant variant) {
        return nodes == 1
                ? embedded.start(listener, variant)
                : embedded.startCluster(
                        listener,
                        new Variant(
                                variant.name() + nodes + "-nodes",
                                variant.secured(),
                                variant.properties(),
                                variant.jvmArguments()),
                        nodes);
    }

    /**
     * Says no to a cluster where a scenario measures single NiFis.
     *
     * @throws ParameterException when --nodes asks for one
     */
    void refuseCluster() {
        if (cluster()) {
            throw usage(command.name() + " measures single NiFis: it has no --nodes", null);
        }
    }

    /** Whether what is started is a cluster. */
    boolean cluster() {
        return nodes > 1;
    }

    private void check(final EmbeddedOptions embedded, final ClientKind client) {
        if (nodes < 1 || nodes > MOST_NODES) {
            throw usage("--nodes must be between 1 and %d, not %d".formatted(MOST_NODES, nodes), null);
        }
        if (cluster() && (running() || client == ClientKind.NIO)) {
            throw usage("--nodes is for a cluster that is started, and for --client wire or stock", null);
        }
        if (Stream.of(home, url, socket).filter(given -> given != null).count() > 1) {
            throw usage("--home, --url and --target exclude each other", null);
        }
        if (running() && !listeners.isEmpty()) {
            throw usage("--listener is for NiFis that are started", null);
        }
        if (embedded.secure() && running()) {
            throw usage(
                    "--secure is for a NiFi that is started: that of --home or --url is secured or not, and --target"
                            + " is for plain TCP",
                    null);
        }
        final List<Object> stores = new ArrayList<>();
        Stream.of(keyStore, trustStore, password).filter(given -> given != null).forEach(stores::add);
        if (!stores.isEmpty() && (url == null || keyStore == null || trustStore == null || password == null)) {
            throw usage("--key-store, --trust-store and --password go together, with --url", null);
        }
        if (portName != null && url == null) {
            throw usage("--port-name goes with --url", null);
        }
    }

    private Target atUrl() {
        try {
            final ClientTls tls = keyStore == null ? null : ClientTls.of(keyStore, trustStore, password);
            final RunningNifi nifi = RunningNifi.at(url, tls == null ? null : tls.context());
            final RunningNifi.RawSocket found = nifi.find(portName);
            return new Target(nifi.toString(), resolved(found.address()), null, null, found.secure() ? tls : null);
        } catch (final IllegalArgumentException e) {
            throw usage("--url: " + e.getMessage(), e);
        }
    }

    private Target atSocket(final ClientKind client) {
        final Matcher address = HOST_AND_PORT.matcher(socket);
        if (!address.matches() || portId == null) {
            throw usage("--target needs HOST:PORT, and --port-id the identifier of an input port", null);
        }
        if (client == ClientKind.STOCK && api == null) {
            throw usage("--client stock needs --api: NiFi's own client finds the socket through it", null);
        }
        try {
            final TargetAddress given =
                    new TargetAddress(address.group(1), Integer.parseInt(address.group(2)), portId, api);
            return new Target(socket, resolved(given), null, null, null);
        } catch (final IllegalArgumentException e) {
            throw usage("--target " + socket + ": " + e.getMessage(), e);
        }
    }

    private static TargetAddress resolved(final TargetAddress address) {
        if (address.socket().isUnresolved()) {
            throw new HarnessException("The host " + address.host() + " has no address");
        }
        return address;
    }

    private ParameterException usage(final String message, final Throwable cause) {
        return new ParameterException(command.commandLine(), message, cause);
    }
}
