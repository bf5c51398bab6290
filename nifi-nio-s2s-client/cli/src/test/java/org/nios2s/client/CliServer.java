// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;

/** The scripted server of the client's tests, as the tests of the command need it. Any thread. */
public final class CliServer implements AutoCloseable {
    private static final int MANY = 1_000_000_000;

    private final ScriptedServer server;
    /** Null while no command asks for the nodes of a cluster. */
    private ScriptedSite site;

    public CliServer() throws IOException {
        server = new ScriptedServer();
    }

    /** Where a command finds it. */
    public String[] address() {
        return new String[] {"--host", "127.0.0.1", "--port", "" + server.port(), "--port-name", "port-id"};
    }

    /** Where a command finds the cluster of this node and another, which has so little that this one is asked first. */
    public String[] addressOfClusterWith(final CliServer other) throws IOException {
        site = new ScriptedSite(server.port());
        ScriptedServer.cluster(server, MANY, other.server, 0);
        return new String[] {"--url", site.url(), "--port-name", "out"};
    }

    /** How the peer list of a cluster and failures name this node. */
    public String peer() {
        return "127.0.0.1:" + server.port();
    }

    /** The contents of what was received, by the attribute filename. */
    public Map<String, String> committed() {
        return server.committed.stream()
                .collect(Collectors.toMap(
                        packet -> packet.attributes().get("filename"), packet -> new String(packet.content())));
    }

    /** In the order in which they arrived, a character for each byte. */
    public List<String> committedContents() {
        return server.committed.stream()
                .map(packet -> new String(packet.content(), StandardCharsets.ISO_8859_1))
                .toList();
    }

    /** Makes room for more. */
    public long forgetCommitted() {
        long bytes = 0;
        for (Received packet = server.committed.poll(); packet != null; packet = server.committed.poll()) {
            bytes += packet.content().length;
        }
        server.arrived.clear();
        server.heard.clear();
        return bytes;
    }

    public List<Map<String, String>> committedAttributes() {
        return server.committed.stream().map(Received::attributes).toList();
    }

    public void offer(final Map<String, String> attributes, final String content) {
        server.offered.add(new Received(attributes, content.getBytes()));
    }

    public int offered() {
        return server.offered.size();
    }

    public int finishedPulls() {
        return server.finishedPulls.get();
    }

    public void refusesThePort() {
        server.at(Moment.HANDSHAKE, ScriptedServer.answer(ResponseCode.UNKNOWN_PORT));
    }

    /** The node still gives the list of peers. */
    public void refusesThePeer(final String text) {
        server.at(Moment.HANDSHAKE, ScriptedServer.portOnly(ScriptedServer.answer(ResponseCode.UNAUTHORIZED, text)));
    }

    public void hangsUpWhenItIsAsked() {
        server.at(Moment.FIRST_PACKET, ScriptedServer.hangUp());
    }

    public void hangsUpOnceWhenItIsAsked() {
        final AtomicBoolean hungUp = new AtomicBoolean();
        server.at(Moment.FIRST_PACKET, wire -> {
            if (hungUp.getAndSet(true)) {
                return false;
            }
            return ScriptedServer.hangUp().happen(wire);
        });
    }

    /** Something happens between the handshake and the first packet. */
    public void whenItIsAskedOnce(final Callable<?> something) {
        final AtomicBoolean happened = new AtomicBoolean();
        server.at(Moment.HANDSHAKE, wire -> {
            if (!happened.getAndSet(true)) {
                something.call();
            }
            return false;
        });
    }

    public void hangsUpBeforeItConfirms() {
        server.at(Moment.CONFIRM, ScriptedServer.hangUp());
    }

    /** @return counted down when the first pull waits for the confirmation, which does not come; others are confirmed */
    public CountDownLatch stallsOnceBeforeItConfirms() {
        final CountDownLatch stalled = new CountDownLatch(1);
        server.at(Moment.CONFIRM, wire -> {
            if (stalled.getCount() == 0) {
                return false;
            }
            stalled.countDown();
            return server.stall().happen(wire);
        });
        return stalled;
    }

    public void hangsUpBeforeItSaysThatItFinished() {
        server.at(Moment.FINISHED, ScriptedServer.hangUp());
    }

    @Override
    public void close() throws IOException {
        if (site != null) {
            site.close();
        }
        server.close();
    }
}
