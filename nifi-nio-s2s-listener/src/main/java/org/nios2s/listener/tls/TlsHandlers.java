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
package org.nios2s.listener.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.apache.nifi.security.util.TlsPlatform;

/**
 * Makes the TLS side of connections from NiFi's own {@link SSLContext}: client certificate required, NiFi's preferred
 * protocols, handshake arithmetic on threads of its own. Thread-safe.
 */
public final class TlsHandlers implements AutoCloseable {
    private final SslContext context;
    private final ExecutorService handshakes;

    /**
     * @param sslContext NiFi's own; it follows a key store that NiFi reloads
     * @param handshakeThreads threads for the arithmetic of handshakes
     */
    public TlsHandlers(final SSLContext sslContext, final int handshakeThreads) {
        context = new JdkSslContext(
                sslContext,
                false,
                null,
                IdentityCipherSuiteFilter.INSTANCE,
                null,
                ClientAuth.REQUIRE,
                TlsPlatform.getPreferredProtocols().toArray(String[]::new),
                false);
        handshakes = Executors.newFixedThreadPool(
                handshakeThreads, new DefaultThreadFactory("Site-to-Site NIO Handshake", true));
    }

    /** @return the handler of a new connection */
    public SslHandler create(final ByteBufAllocator allocator, final Duration handshakeTimeout) {
        final SslHandler handler = context.newHandler(allocator, handshakes);
        handler.setHandshakeTimeout(handshakeTimeout.toMillis(), TimeUnit.MILLISECONDS);
        return handler;
    }

    @Override
    public void close() {
        handshakes.shutdownNow();
    }
}
