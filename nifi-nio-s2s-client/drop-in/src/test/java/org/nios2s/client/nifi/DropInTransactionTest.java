// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.nifi;

import static org.nios2s.client.ScriptedServer.portOnly;
import static org.nios2s.client.nifi.DropInOracle.assertSame;
import static org.nios2s.client.nifi.DropInOracle.offer;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.remote.util.StandardDataPacket;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.nios2s.client.ScriptedServer;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.nifi.DropInOracle.Line;

/** What a transaction of NiFi's client says and does, line by line, with NiFi's own client as the oracle. */
class DropInTransactionTest {
    private static final int LARGE_BYTES = 200_000;

    private static Line refused(final String name, final String expected, final ScriptedServer.Action answer) {
        return new Line(name, expected, stage -> {
            stage.server.at(Moment.HANDSHAKE, portOnly(answer));
            final SiteToSiteClient client = stage.client(builder -> builder);
            stage.begin(client, TransferDirection.SEND);
            // The peer is penalized.
            stage.begin(client, TransferDirection.SEND);
        });
    }

    static final List<Line> TRANSACTIONS = List.of(
            new Line("nothing to receive", "complete: 0 packets", stage -> {
                stage.begin(TransferDirection.RECEIVE);
                stage.receive();
                stage.confirm();
                stage.complete();
                stage.leave();
            }),
            new Line("one packet received", "complete: 1 packets", stage -> {
                offer(stage, 20);
                stage.begin(TransferDirection.RECEIVE);
                stage.receive();
                stage.receive();
                stage.confirm();
                stage.complete();
                stage.leave();
            }),
            new Line("two packets received", "complete: 2 packets", stage -> {
                offer(stage, 20, LARGE_BYTES);
                stage.begin(TransferDirection.RECEIVE);
                stage.receive();
                stage.receive();
                stage.receive();
                stage.confirm();
                stage.complete();
                stage.leave();
            }),
            new Line("a checksum that the peer refuses", "confirm: throws IOException Failed to confirm", stage -> {
                offer(stage, 20, 30);
                stage.server.at(Moment.CONFIRM, ScriptedServer.answer(ResponseCode.BAD_CHECKSUM));
                stage.begin(TransferDirection.RECEIVE);
                stage.receive();
                stage.receive();
                stage.receive();
                stage.step("confirm", () -> {
                    try {
                        stage.transaction.confirm();
                    } catch (final IOException e) {
                        stage.transcript.add("says so: " + e.getMessage().contains("Received a BadChecksum response"));
                        throw e;
                    }
                    return "confirmed";
                });
                stage.complete();
            }),
            new Line("a confirmation that is something else", "confirm: throws IOException", stage -> {
                offer(stage, 20);
                stage.server.at(Moment.CONFIRM, ScriptedServer.answer(ResponseCode.TRANSACTION_FINISHED));
                stage.begin(TransferDirection.RECEIVE);
                stage.receive();
                stage.receive();
                stage.confirm();
            }),
            new Line("nothing sent can't be confirmed", "confirm: throws IllegalStateException", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.confirm();
                stage.complete();
            }),
            new Line("one packet sent", "complete: 1 packets, 7 bytes, backoff false", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.send("content");
                stage.confirm();
                stage.complete();
                stage.leave();
            }),
            new Line("packets sent from an array, a stream and without attributes", "complete: 3 packets", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.send("content");
                stage.step("send", () -> {
                    final byte[] content = "y".repeat(LARGE_BYTES).getBytes();
                    stage.transaction.send(
                            new StandardDataPacket(Map.of(), new ByteArrayInputStream(content), LARGE_BYTES));
                    return "sent";
                });
                stage.step("send", () -> {
                    stage.transaction.send(new byte[0], Map.of());
                    return "sent";
                });
                stage.confirm();
                stage.complete();
                stage.leave();
            }),
            new Line("a checksum that differs", "confirm: throws IOException Failed to confirm", stage -> {
                stage.server.at(
                        Moment.CONFIRM, ScriptedServer.answer(ResponseCode.CONFIRM_TRANSACTION, "Different checksum"));
                stage.begin(TransferDirection.SEND);
                stage.send("content");
                stage.send("more");
                stage.step("confirm", () -> {
                    try {
                        stage.transaction.confirm();
                    } catch (final IOException e) {
                        stage.transcript.add("says so: "
                                + e.getMessage().contains("peer calculated CRC32 Checksum as Different checksum"));
                        throw e;
                    }
                    return "confirmed";
                });
                stage.complete();
                stage.leave();
            }),
            new Line("a destination that became full", "backoff true", stage -> {
                stage.server.at(
                        Moment.FINISHED, ScriptedServer.answer(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL));
                stage.begin(TransferDirection.SEND);
                stage.send("content");
                stage.send("more");
                stage.confirm();
                stage.complete();
                stage.leave();
            }),
            new Line("an end that is something else", "complete: throws IOException Failed to complete", stage -> {
                stage.server.at(Moment.FINISHED, ScriptedServer.answer(ResponseCode.CONTINUE_TRANSACTION));
                stage.begin(TransferDirection.SEND);
                stage.send("content");
                stage.confirm();
                stage.complete();
            }),
            new Line("a peer that leaves before the end", "complete: throws IOException Failed to complete", stage -> {
                stage.server.at(Moment.FINISHED, ScriptedServer.hangUp());
                stage.begin(TransferDirection.SEND);
                stage.send("content");
                stage.confirm();
                stage.complete();
            }),
            new Line(
                    "a peer that leaves before it confirms", "confirm: throws IOException Failed to confirm", stage -> {
                        stage.server.at(Moment.CONFIRM, ScriptedServer.hangUp());
                        stage.begin(TransferDirection.SEND);
                        stage.send("content");
                        stage.confirm();
                        stage.complete();
                        stage.cancel("too late");
                    }),
            new Line("a second confirmation", "confirm: throws IllegalStateException", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.send("content");
                stage.confirm();
                stage.confirm();
                stage.send("more");
            }),
            new Line("nothing is sent after the confirmation", "send: throws IllegalStateException", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.send("content");
                stage.confirm();
                stage.send("more");
            }),
            new Line("nothing is completed before the confirmation", "complete: throws IllegalState", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.send("content");
                stage.complete();
            }),
            new Line("what is completed stays so", "complete: throws IllegalStateException", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.send("content");
                stage.confirm();
                stage.complete();
                stage.cancel("too late");
                stage.complete();
                stage.leave();
            }),
            new Line("a sender does not receive", "receive: throws IllegalStateException", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.receive();
            }),
            new Line("a receiver does not send", "send: throws IllegalStateException", stage -> {
                offer(stage, 5);
                stage.begin(TransferDirection.RECEIVE);
                stage.send("content");
            }),
            new Line("what has not been received can't be confirmed", "confirm: throws IllegalState", stage -> {
                offer(stage, 5, 6);
                stage.begin(TransferDirection.RECEIVE);
                stage.receive();
                stage.confirm();
                stage.receive();
            }),
            new Line("nothing received yet can't be confirmed", "confirm: throws IllegalState", stage -> {
                offer(stage, 5);
                stage.begin(TransferDirection.RECEIVE);
                stage.confirm();
            }),
            new Line("nothing is received after the confirmation", "receive: throws IllegalState", stage -> {
                offer(stage, 5);
                stage.begin(TransferDirection.RECEIVE);
                stage.receive();
                stage.receive();
                stage.confirm();
                stage.receive();
            }),
            new Line("a cancelled sender", "cancel: cancelled, TRANSACTION_CANCELED", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.send("content");
                stage.cancel("changed my mind");
                stage.cancel("again");
                stage.leave();
            }),
            new Line("a sender cancelled without a reason", "cancel: cancelled", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.send("content");
                stage.cancel(null);
                stage.leave();
            }),
            new Line("nothing is said after cancelling", "send: throws IllegalStateException", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.cancel("changed my mind");
                stage.send("content");
                stage.confirm();
                stage.complete();
            }),
            new Line("a cancelled receiver", "cancel: cancelled, TRANSACTION_CANCELED", stage -> {
                offer(stage, 5);
                stage.begin(TransferDirection.RECEIVE);
                stage.receive();
                stage.receive();
                stage.cancel("no room");
                stage.leave();
            }),
            new Line("an error ends it", "error: ended, ERROR", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.send("content");
                stage.error();
                stage.confirm();
                stage.cancel("too late");
                stage.error();
            }),
            new Line("an error of a stream fails the transaction", "send: throws IOException Failed to send", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.step("send", () -> {
                    stage.transaction.send(new StandardDataPacket(Map.of(), new BrokenStream(), 10));
                    return "sent";
                });
                stage.confirm();
            }),
            new Line("the other side of a transaction", "127.0.0.1", stage -> {
                stage.begin(TransferDirection.SEND);
                stage.step(
                        "peer",
                        () -> stage.transaction.getCommunicant().getHost() + " "
                                + (stage.transaction.getCommunicant().getPort() == stage.server.port()) + " "
                                + stage.transaction.getCommunicant().getUrl().replaceAll("\\d+$", "PORT")
                                + " "
                                + stage.transaction.getCommunicant().getDistinguishedName());
            }),
            new Line("transactions follow each other on one connection", "heard: ", stage -> {
                final SiteToSiteClient client = stage.client(builder -> builder);
                stage.pushOne(client);
                stage.pushOne(client);
                stage.pushOne(client);
                stage.leave();
            }),
            refused(
                    "a port that is not running",
                    "throws PortNotRunningException",
                    ScriptedServer.answer(ResponseCode.PORT_NOT_IN_VALID_STATE, "stopped")),
            refused(
                    "a port whose destination is full",
                    "create SEND: none",
                    ScriptedServer.answer(ResponseCode.PORTS_DESTINATION_FULL)),
            refused(
                    "a port that is not ours to use",
                    "throws HandshakeException",
                    ScriptedServer.answer(ResponseCode.UNAUTHORIZED, "not you")),
            refused(
                    "a handshake that is refused",
                    "throws HandshakeException",
                    ScriptedServer.answer(ResponseCode.MISSING_PROPERTY, "GZIP")),
            new Line("a port that the node does not know", "throws UnknownPortException", stage -> {
                stage.server.at(Moment.HANDSHAKE, portOnly(ScriptedServer.answer(ResponseCode.UNKNOWN_PORT)));
                stage.begin(TransferDirection.SEND);
            }));

    @ParameterizedTest
    @FieldSource("TRANSACTIONS")
    void aTransactionIsThatOfNifisClient(final Line line, @TempDir final Path folder) throws Exception {
        assertSame(line, folder);
    }

    /** A stream that fails. */
    private static final class BrokenStream extends InputStream {
        @Override
        public int read(final byte[] buffer, final int offset, final int length) throws IOException {
            throw new IOException("broken");
        }

        @Override
        public int read() throws IOException {
            return read(null, 0, 0);
        }
    }
}
