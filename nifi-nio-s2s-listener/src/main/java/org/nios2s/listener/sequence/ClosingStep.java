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
import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;

/**
 * The conversation is over: what still arrives is dropped until the peer leaves too, for a short while. Lives on the
 * connection's IO worker.
 */
final class ClosingStep implements Step {
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long MOST_DROPPED_BYTES = 1024 * 1024;

    private final Channel channel;
    private final long startNanos = System.nanoTime();
    private long droppedBytes;

    ClosingStep(final Channel channel) {
        this.channel = channel;
    }

    @Override
    public Step receive(final ByteBuf in) {
        droppedBytes += in.readableBytes();
        in.skipBytes(in.readableBytes());
        if (droppedBytes > MOST_DROPPED_BYTES) {
            channel.close();
        }
        return this;
    }

    @Override
    public Step inputEnds() {
        channel.close();
        return this;
    }

    @Override
    public void checkDeadline(final long nowNanos) {
        if (nowNanos - startNanos > LONGEST_NANOS) {
            channel.close();
        }
    }

    @Override
    public Patience patience() {
        return Patience.UNLIMITED;
    }
}
