// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.BooleanSupplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * A TLS handshake with our own server, up to the point at which the server has proved that it can use its key: the client is asked
 * for a certificate, and has none. For one thread.
 *
 * <p>Without a certificate that NiFi trusts a client gets no further: the server then refuses it.
 */
public final class TrialHandshake {
    /** Flights in each direction; a handshake takes three. */
    private static final int MAX_FLIGHTS = 20;

    private static final int BUFFER_BYTES = 64 * 1024;

    private final AskedKeyManager keyManager = new AskedKeyManager();
    private final SSLContext client;

    private TrialHandshake() throws SSLException {
        try {
            client = SSLContext.getInstance("TLS");
            // The server is ourselves: the peers decide whether its certificate is expired or unknown.
            client.init(new KeyManager[] {keyManager}, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        } catch (final GeneralSecurityException e) {
            throw new SSLException("This Java has no TLS for a trial", e);
        }
    }

    /**
     * Tries a server in memory.
     *
     * @param protocols versions of TLS that the client offers
     * @throws SSLException if the server can't use its key
     */
    static void with(final SSLEngine server, final List<String> protocols) throws SSLException {
        final TrialHandshake trial = new TrialHandshake();
        final SSLEngine engine = trial.client.createSSLEngine();
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(protocols.toArray(String[]::new));
        exchange(engine, server, () -> trial.keyManager.wasAsked);
        trial.failUnlessAsked(null);
    }

    /**
     * Passes records of a handshake to and fro between two engines in memory, and runs their tasks.
     *
     * @param isDone asked between two flights; the exchange also ends after the flights of a whole handshake
     */
    public static void exchange(final SSLEngine client, final SSLEngine server, final BooleanSupplier isDone)
            throws SSLException {
        final ByteBuffer toServer = ByteBuffer.allocate(BUFFER_BYTES);
        final ByteBuffer toClient = ByteBuffer.allocate(BUFFER_BYTES);
        for (int flight = 0; flight < MAX_FLIGHTS && !isDone.getAsBoolean(); flight++) {
            pass(client, server, toServer);
            pass(server, client, toClient);
        }
    }

    /**
     * Tries a server over a connection.
     *
     * @throws SSLException if the server can't use its key
     */
    public static void over(final Socket connected) throws IOException {
        final TrialHandshake trial = new TrialHandshake();
        final String server = connected.getInetAddress().getHostAddress();
        try (SSLSocket socket = (SSLSocket)
                trial.client.getSocketFactory().createSocket(connected, server, connected.getPort(), false)) {
            socket.startHandshake();
            socket.getInputStream().read();
            trial.failUnlessAsked(null);
        } catch (final SSLException e) {
            trial.failUnlessAsked(e);
        }
    }

    private void failUnlessAsked(final SSLException failure) throws SSLException {
        if (keyManager.wasAsked) {
            return;
        }
        if (failure != null) {
            throw failure;
        }
        throw new SSLException("The server does not ask for a certificate");
    }

    /** Passes one engine's records to the other one; records that the other one does not take yet stay in the buffer. */
    private static void pass(final SSLEngine from, final SSLEngine to, final ByteBuffer records) throws SSLException {
        int before = -1;
        while (records.position() > before) {
            before = records.position();
            from.wrap(ByteBuffer.allocate(0), records);
            runTasks(from);
        }
        records.flip();
        int left = records.remaining() + 1;
        while (records.remaining() < left) {
            left = records.remaining();
            to.unwrap(records, ByteBuffer.allocate(BUFFER_BYTES));
            runTasks(to);
        }
        records.compact();
    }

    private static void runTasks(final SSLEngine engine) {
        while (engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
            final Runnable task = engine.getDelegatedTask();
            if (task == null) {
                return;
            }
            task.run();
        }
    }

    /** A key manager without a certificate that notes whether it was asked for one: the client asks after the server's proof. */
    private static final class AskedKeyManager extends X509ExtendedKeyManager {
        private boolean wasAsked;

        @Override
        public String chooseClientAlias(final String[] keyTypes, final Principal[] issuers, final Socket socket) {
            wasAsked = true;
            return null;
        }

        @Override
        public String chooseEngineClientAlias(
                final String[] keyTypes, final Principal[] issuers, final SSLEngine engine) {
            wasAsked = true;
            return null;
        }

        @Override
        public String[] getClientAliases(final String keyType, final Principal[] issuers) {
            return null;
        }

        @Override
        public String chooseServerAlias(final String keyType, final Principal[] issuers, final Socket socket) {
            return null;
        }

        @Override
        public String[] getServerAliases(final String keyType, final Principal[] issuers) {
            return null;
        }

        @Override
        public X509Certificate[] getCertificateChain(final String alias) {
            return null;
        }

        @Override
        public PrivateKey getPrivateKey(final String alias) {
            return null;
        }
    }
}
