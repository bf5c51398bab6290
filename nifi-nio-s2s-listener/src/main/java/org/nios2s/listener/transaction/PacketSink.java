// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import io.netty.buffer.ByteBuf;
import java.util.Map;

/** A push transaction, in memory or streamed, as packets are put into it. Lives on the connection's IO worker. */
public interface PacketSink {
    void packetBegins(Map<String, String> attributes, long contentLength);

    /** @param in of which so many bytes are read */
    void content(ByteBuf in, int length);

    /** @param transferMillis how long the packet took from its first byte to its last */
    void packetEnds(long transferMillis);
}
