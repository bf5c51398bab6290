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
import org.apache.nifi.remote.exception.ProtocolException;
import org.nios2s.wire.ModifiedUtf8;

/**
 * What a peer proposes when it negotiates a protocol or a codec. Immutable.
 *
 * @param name of the resource
 * @param version of it
 */
record VersionedName(String name, int version) {
    /** @return the proposal, or null, with nothing consumed, if bytes are missing */
    static VersionedName readIfComplete(final ByteBuf in) throws ProtocolException {
        final int start = in.readerIndex();
        final String name = ModifiedUtf8.readIfComplete(in);
        if (name == null || in.readableBytes() < Integer.BYTES) {
            in.readerIndex(start);
            return null;
        }
        return new VersionedName(name, in.readInt());
    }
}
