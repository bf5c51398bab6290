// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.peers.Message;
import org.nios2s.peers.OneGoSocket;
import org.nios2s.peers.TestPeer;

/**
 * An honest peer that knows, when something fails, whether the protocol leaves it in doubt about its transaction.
 * For one thread; every read has a deadline.
 */
final class FaultPeer extends TestPeer {
    /** Where a conversation can stand, by what the peer says next or, in the end of a push, waits for. */
    enum Step {
        MAGIC,
        HANDSHAKE,
        CODEC,
        REQUEST,
        PACKET,
        CONTENT,
        INDICATOR,
        CONFIRMATION,
        COMMIT,
        RECEIPT,
        FINISH;

        /** Those of a push. */
        static final Set<Step> PUSH = EnumSet.range(MAGIC, COMMIT);
        /** Those of a pull. */
        static final Set<Step> PULL = EnumSet.of(MAGIC, HANDSHAKE, CODEC, REQUEST, PACKET, RECEIPT, FINISH);
    }

    private final Consumer<Step> steps;
    private boolean inDoubt;
    private List<String> unsettled = List.of();

    /**
     * Connects, and opens a conversation with a port.
     *
     * @param tls   null where Site-to-Site is not secure
     * @param steps hears of each step before it is made
     */
    FaultPeer(final InetSocketAddress listener, final String portId, final SSLContext tls, final Consumer<Step> steps)
            throws IOException {
        super(OneGoSocket.connect(listener).layered(tls));
        this.steps = steps;
        try {
            say(Step.MAGIC, Message.magic(), Message.protocol(Message.NEWEST_VERSION));
            expectResource();
            say(Step.HANDSHAKE, Message.handshake(portId));
            expect(ResponseCode.PROPERTIES_OK);
            say(Step.CODEC, Message.negotiateCodec());
            expectResource();
        } catch (final IOException e) {
            close();
            throw e;
        }
    }

    private void say(final Step step, final byte[]... words) throws IOException {
        steps.accept(step);
        say(words);
    }

    /** Whether the transaction that failed may have been committed all the same. */
    boolean isInDoubt() {
        return inDoubt;
    }

    /** The packets that were pulled last, as long as the listener has not shown that it knows. */
    List<String> unsettled() {
        return unsettled;
    }

    /** Pushes one packet; it is acknowledged when this returns. */
    void push(final String id, final byte[] content) throws IOException {
        inDoubt = false;
        final byte[] packet = packet(id, content);
        final int half = packet.length - content.length / 2;
        say(Step.REQUEST, Message.utf("SEND_FLOWFILES"));
        say(Step.PACKET, Arrays.copyOf(packet, half));
        say(Step.CONTENT, Arrays.copyOfRange(packet, half, packet.length));
        finishPush(packet);
    }

    /** Pushes one packet, each byte by itself, which is the step CONTENT; it is acknowledged when this returns. */
    void pushByteByByte(final String id, final byte[] content) throws IOException {
        inDoubt = false;
        final byte[] packet = packet(id, content);
        say(Step.REQUEST, Message.utf("SEND_FLOWFILES"));
        for (final byte each : packet) {
            say(Step.CONTENT, new byte[] {each});
        }
        finishPush(packet);
    }

    private static byte[] packet(final String id, final byte[] content) {
        return Message.packet(Map.of("packet.id", id), content);
    }

    private void finishPush(final byte[] packet) throws IOException {
        say(Step.INDICATOR, Message.response(ResponseCode.FINISH_TRANSACTION));
        expect(ResponseCode.CONFIRM_TRANSACTION, Message.checksum(packet));
        steps.accept(Step.CONFIRMATION);
        inDoubt = true;
        say(Message.response(ResponseCode.CONFIRM_TRANSACTION, ""));
        steps.accept(Step.COMMIT);
        final ResponseCode end = response().getCode();
        if (end != ResponseCode.TRANSACTION_FINISHED && end != ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL) {
            throw new IOException("The transaction ended with " + end);
        }
        inDoubt = false;
    }

    /**
     * Pulls packets in one transaction, which is over when this returns.
     *
     * @param received hears the id of each packet, before it is acknowledged
     * @return whether there was any
     */
    boolean pull(final Consumer<String> received) throws IOException {
        inDoubt = false;
        say(Step.REQUEST, Message.utf("RECEIVE_FLOWFILES"));
        steps.accept(Step.PACKET);
        final ResponseCode first = response().getCode();
        unsettled = List.of();
        if (first != ResponseCode.MORE_DATA) {
            return false;
        }
        final CRC32 checksum = new CRC32();
        final List<String> ids = new ArrayList<>();
        ResponseCode next = ResponseCode.CONTINUE_TRANSACTION;
        while (next == ResponseCode.CONTINUE_TRANSACTION) {
            ids.add(readPacket(new CheckedInputStream(in(), checksum)));
            next = response().getCode();
        }
        if (next != ResponseCode.FINISH_TRANSACTION) {
            throw new IOException("Behind a packet comes " + next);
        }
        say(Step.RECEIPT, Message.response(ResponseCode.CONFIRM_TRANSACTION, String.valueOf(checksum.getValue())));
        expect(ResponseCode.CONFIRM_TRANSACTION);
        ids.forEach(received);
        unsettled = ids;
        say(Step.FINISH, Message.response(ResponseCode.TRANSACTION_FINISHED));
        return true;
    }

    private static String readPacket(final InputStream in) throws IOException {
        final DataPacket packet = new StandardFlowFileCodec().decode(in);
        packet.getData().readAllBytes();
        return packet.getAttributes().get("packet.id");
    }
}
