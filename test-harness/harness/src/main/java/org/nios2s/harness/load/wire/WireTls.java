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
package org.nios2s.harness.load.wire;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import javax.net.ssl.SSLContext;

/**
 * TLS of the light client, by the JDK's provider. Stateless, any thread.
 */
public final class WireTls {

    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private WireTls() {}

    /**
     * What makes the TLS engines of connections; a later connection of a client may resume a session of an earlier
     * one.
     *
     * @param context what to trust and who to be, or null for plain TCP
     * @return the maker, or null for plain TCP
     */
    public static SslContext client(final SSLContext context) {
        return context == null
                ? null
                : new JdkSslContext(
                        context,
                        true,
                        null,
                        IdentityCipherSuiteFilter.INSTANCE,
                        null,
                        ClientAuth.NONE,
                        PROTOCOLS,
                        false);
    }
}
