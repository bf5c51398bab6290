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
package org.nios2s.client;

import io.netty.buffer.ByteBuf;
import org.apache.nifi.remote.exception.ProtocolException;

/** What is being said on a connection now. Lives on the connection's IO worker. */
interface Conversation {
    /** @return where it is, for errors */
    TransactionStep step();

    /**
     * Consumes what it can of the bytes that have arrived.
     *
     * @throws ProtocolException if the peer says what does not belong here
     * @throws TransactionException if the peer says no
     */
    void read(ByteBuf in) throws ProtocolException, TransactionException;

    /** The connection takes bytes again, after it did not. */
    default void writable() {}

    /** The connection is gone; nothing more will be called. */
    void failed(TransactionException failure);
}
