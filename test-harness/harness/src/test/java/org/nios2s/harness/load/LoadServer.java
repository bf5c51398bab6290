// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.protocol.HandshakeProperty;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.client.ScriptedServer;
import org.nios2s.client.ScriptedServer.Action;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;

/**
 * The scripted server of the client's tests, as the tests of loads need it: a pull gets as many FlowFiles as it asks for. Any
 * thread.
 */
public final class LoadServer implements Closeable {

    /** What the server does with a transaction. */
    public enum Script {
        FAITHFUL,
        DESTINATION_FULL,
        WRONG_CHECKSUM,
        SILENT_INSTEAD_OF_CONFIRMATION,
        CLOSE_INSTEAD_OF_FINISHING,
        GARBAGE_INSTEAD_OF_CONFIRMATION,
        REFUSE_PORT,
        SLOW,
        STALLS_ONCE,
        PAUSES_IN_A_PULL,
        /** It sends one packet fewer than it was asked for. */
        ONE_TOO_FEW_IN_A_PULL
    }

    public static final int PULLED_BYTES = 25;

    public static final String PORT_ID = "9b2f6d8e-0192-1000-0000-000000000001";

    /** Names of this server in the list of peers, by both of which it can be reached. */
    public static final List<String> NODES = List.of("127.0.0.1", "localhost");

    private static final long SLOW_MILLIS = 100;
    private static final long STALL_MILLIS = 400;
    private static final long PULL_PAUSE_MILLIS = 1_200;
    private static final int STALL_AT = 5;

    private static final Received PULLED = new Received(Map.of(), new byte[PULLED_BYTES]);

    private final ScriptedServer server;

    public LoadServer(final Script script) throws IOException {
        this(script, null);
    }

    /** @param tls makes the engine of a server that asks for client certificates; null for plain TCP */
    public LoadServer(final Script script, final SSLContext tls) throws IOException {
        server = new ScriptedServer(0, tls);
        NODES.forEach(node -> server.peers.put(node, new int[] {server.port(), 0}));
        server.insteadOfOffered(handshake -> Collections.nCopies(asked(handshake), PULLED));
        switch (script) {
            case DESTINATION_FULL ->
                server.at(
                        Moment.FINISHED, ScriptedServer.answer(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL));
            case WRONG_CHECKSUM ->
                server.at(Moment.CONFIRM, ScriptedServer.answer(ResponseCode.CONFIRM_TRANSACTION, "0"));
            case SILENT_INSTEAD_OF_CONFIRMATION -> server.at(Moment.CONFIRM, server.stall());
            case CLOSE_INSTEAD_OF_FINISHING -> server.at(Moment.FINISHED, ScriptedServer.hangUp());
            case GARBAGE_INSTEAD_OF_CONFIRMATION -> server.at(Moment.CONFIRM, ScriptedServer.garbage());
            case REFUSE_PORT ->
                server.at(Moment.HANDSHAKE, ScriptedServer.portOnly(ScriptedServer.answer(ResponseCode.UNKNOWN_PORT)));
            case SLOW -> server.at(Moment.CONFIRM, wire -> pause(SLOW_MILLIS));
            case STALLS_ONCE -> server.at(Moment.CONFIRM, stallOnce());
            case PAUSES_IN_A_PULL -> server.insteadOfContinuation(LoadServer::continueSlowly);
            case ONE_TOO_FEW_IN_A_PULL ->
                server.insteadOfOffered(handshake -> Collections.nCopies(asked(handshake) - 1, PULLED));
            default -> {
                // It says what there is to say.
            }
        }
        if (script != Script.REFUSE_PORT) {
            server.at(Moment.HANDSHAKE, ScriptedServer.portOnly(this::refuseOtherPorts));
        }
    }

    /** @return whether the port of the handshake is not the one that is there */
    private boolean refuseOtherPorts(final ScriptedServer.Wire wire) throws Exception {
        final boolean other = !PORT_ID.equals(wire.properties().get(HandshakeProperty.PORT_IDENTIFIER));
        if (other) {
            wire.say(ResponseCode.UNKNOWN_PORT);
        }
        return other;
    }

    private static int asked(final Map<HandshakeProperty, String> handshake) {
        return Integer.parseInt(handshake.get(HandshakeProperty.BATCH_COUNT));
    }

    private static Action stallOnce() {
        final AtomicInteger transactions = new AtomicInteger();
        return wire -> transactions.incrementAndGet() == STALL_AT && pause(STALL_MILLIS);
    }

    private static boolean continueSlowly(final ScriptedServer.Wire wire) throws IOException, InterruptedException {
        wire.out.flush();
        pause(PULL_PAUSE_MILLIS);
        wire.say(ResponseCode.CONTINUE_TRANSACTION);
        pause(PULL_PAUSE_MILLIS);
        return true;
    }

    /** @return that the server says what it has to say, afterwards */
    private static boolean pause(final long millis) throws InterruptedException {
        Thread.sleep(millis);
        return false;
    }

    public int port() {
        return server.port();
    }

    public int connections() {
        return server.accepted.get();
    }

    public int politeEnds() {
        return server.shutDowns.get();
    }

    /** The properties of the newest handshake. */
    public Map<HandshakeProperty, String> handshake() {
        return server.handshakes.getLast();
    }

    /** The ids of all packets that have arrived. */
    public List<String> packetIds() {
        return server.arrived.stream()
                .map(packet -> packet.attributes().get("packet.id"))
                .toList();
    }

    /** The sizes of all contents that have arrived. */
    public List<Integer> sizes() {
        return server.arrived.stream().map(packet -> packet.content().length).toList();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
