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

import org.apache.nifi.remote.Communicant;

/**
 * The peer of a transaction, as NiFi describes it. Immutable; any thread.
 *
 * @param port where it listens
 * @param distinguishedName of its certificate; null without TLS
 */
record PeerCommunicant(RemotePort port, String distinguishedName) implements Communicant {
    @Override
    public String getUrl() {
        return port.url();
    }

    @Override
    public String getHost() {
        return port.host();
    }

    @Override
    public int getPort() {
        return port.port();
    }

    @Override
    public String getDistinguishedName() {
        return distinguishedName;
    }

    @Override
    public String createTransitUri(final String sourceFlowFileIdentifier) {
        return port.url() + "/" + sourceFlowFileIdentifier;
    }
}
