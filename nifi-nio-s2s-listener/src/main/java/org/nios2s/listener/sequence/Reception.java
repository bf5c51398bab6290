/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.listener.sequence;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.ListenerContext;
import org.nios2s.listener.transaction.InboundTransaction;
import org.nios2s.wire.ChunkInflater;
import org.nios2s.wire.PacketDecoder;

/**
 * What the steps of one push transaction share while its packets arrive: the decoder, the inflater if packets are
 * compressed, and the transaction that they fill. Lives on the connection's IO worker.
 */
final class Reception {
    /** Attributes of one packet, in bytes on the wire, whatever a transaction may hold. */
    private static final int MAX_ATTRIBUTE_BYTES = 16 * 1024 * 1024;

    /** Plain bytes that are inflated in one go: little, so that the budget is asked often. */
    private static final int INFLATED_BYTES = 16 * 1024;

    private final PeerConnection connection;
    private final InboundTransaction transaction;
    private final PacketDecoder decoder;
    private final ChunkInflater inflater;
    private ByteBuf inflated;

    Reception(final PeerConnection connection) {
        final ListenerContext listener = connection.listener();
        this.connection = connection;
        this.transaction = new InboundTransaction(
                connection,
                listener.budget(),
                listener.settings().transactionMemory(),
                connection.channel().alloc());
        this.decoder = new PacketDecoder(transaction, (int)
                Math.min(MAX_ATTRIBUTE_BYTES, listener.settings().transactionMemory()));
        this.inflater = connection.handshake().isUseGzip() ? new ChunkInflater() : null;
    }

    PeerConnection connection() {
        return connection;
    }

    InboundTransaction transaction() {
        return transaction;
    }

    /** @return the CRC32 of all packets, as the wire has it */
    String checksum() {
        return String.valueOf(decoder.checksum());
    }

    /** @return whether the current packet is complete; if not, bytes are missing or memory is */
    boolean receivePacket(final ByteBuf in) throws IOException {
        if (inflater == null) {
            final boolean complete = !transaction.mustWaitForRoom() && decoder.decode(in);
            transaction.settle(decoder.heldBytes());
            return complete;
        }
        return receiveInflated(in);
    }

    private boolean receiveInflated(final ByteBuf in) throws IOException {
        if (inflated == null) {
            inflated = connection.allocate(INFLATED_BYTES);
        }
        while (!transaction.mustWaitForRoom()) {
            // Keeps the bytes of a field that is not complete yet.
            inflated.discardReadBytes();
            final boolean progress = inflater.inflate(in, inflated);
            if (decoder.decode(inflated)) {
                transaction.settle(decoder.heldBytes());
                return true;
            }
            transaction.settle(decoder.heldBytes());
            if (!progress) {
                return false;
            }
        }
        return false;
    }

    /** The next packet of the transaction is awaited. */
    void nextPacket() {
        transaction.awaitPacket();
        if (inflater != null) {
            inflater.nextPacket();
        }
    }

    /** @return whether the compressed packet's last chunk has been consumed; true where packets are not compressed */
    boolean finishChunk(final ByteBuf in) throws IOException {
        return inflater == null || inflater.finishChunk(in, inflated);
    }

    /** The packets are complete: what decoding them took is given back, the transaction stays. */
    void end() {
        if (inflater != null) {
            inflater.close();
        }
        if (inflated != null) {
            inflated.release();
            inflated = null;
        }
    }

    /** Nothing comes of it. */
    void abandon() {
        end();
        transaction.abandon();
    }
}
