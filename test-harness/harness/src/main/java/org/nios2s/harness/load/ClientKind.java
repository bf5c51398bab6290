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
package org.nios2s.harness.load;

/**
 * The clients that can make the load. A constant, used on every thread.
 */
public enum ClientKind {
    /** NiFi's own {@code SiteToSiteClient}, one object and one thread for each logical client. */
    STOCK,
    /** The client of this project: all logical clients share one connector and the connections of its pool. */
    NIO,
    /**
     * The light client, thousands of connections on a few event loops: every logical client keeps a connection and a TLS
     * session of its own, or makes a connection for every transaction, as that many devices would.
     */
    WIRE
}
