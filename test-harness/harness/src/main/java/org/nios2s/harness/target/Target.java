// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.nios2s.harness.load.ClientTls;
import org.nios2s.harness.load.TargetAddress;

/**
 * A target that is measured. Immutable; any thread.
 *
 * @param name      what reports call it: {@code nio}, {@code stock} or its address
 * @param address   where the load goes
 * @param process   its process, or null when it is not on this machine
 * @param parcels the file to which its sink writes its parcels, or null when there is none
 * @param tls       what to trust and who to be when its RAW socket speaks TLS, otherwise null
 * @param others    further nodes of its cluster, over which the load is spread
 */
public record Target(
        String name, TargetAddress address, ProcessHandle process, Path parcels, ClientTls tls, List<Target> others) {

    public Target {
        others = List.copyOf(others);
    }

    /** For a client that takes nothing else: null when it speaks plain TCP. */
    public SSLContext sslContext() {
        return tls == null ? null : tls.context();
    }

    /** Where the load goes, node by node: one address or more. */
    public List<TargetAddress> addresses() {
        return nodes().map(Target::address).toList();
    }

    /** The processes of all nodes: empty when they are not on this machine. */
    public List<ProcessHandle> processes() {
        return nodes().map(Target::process).filter(Objects::nonNull).distinct().toList();
    }

    /** The parcels of all nodes: empty when there are none. */
    public List<Path> parcelFiles() {
        return nodes().map(Target::parcels).filter(Objects::nonNull).distinct().toList();
    }

    /** The same with the load spread over further ports. */
    public Target and(final List<TargetAddress> further) {
        final List<Target> ports = further.stream()
                .map(other -> new Target(name, other, process, parcels, tls, List.of()))
                .toList();
        return beside(name, ports);
    }

    /** The same under a name for all, with further nodes. */
    Target beside(final String common, final List<Target> further) {
        return new Target(common, address, process, parcels, tls, further);
    }

    private Stream<Target> nodes() {
        return Stream.concat(Stream.of(this), others.stream());
    }
}
