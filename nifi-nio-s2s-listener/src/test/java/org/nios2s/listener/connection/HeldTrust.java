// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.nifi.framework.ssl.FrameworkSslContextHolder;
import org.nios2s.listener.matrix.MatrixTls;

/** A trust manager of the listener that looks at a peer's certificate for as long as a test wants. Thread-safe. */
final class HeldTrust extends X509ExtendedTrustManager {
    /** A test that fails ends all the same. */
    private static final int MOST_SECONDS = 20;

    private final SSLContext peers;
    private final X509ExtendedTrustManager nifis;
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch mayAnswer = new CountDownLatch(1);

    HeldTrust() throws Exception {
        peers = MatrixTls.create("CN=held");
        nifis = FrameworkSslContextHolder.getTrustManager();
    }

    /** @return the TLS of a listener that trusts by this manager */
    SSLContext listeners() throws Exception {
        FrameworkSslContextHolder.setTrustManager(this);
        final SSLContext listeners = SSLContext.getInstance("TLS");
        listeners.init(new KeyManager[] {FrameworkSslContextHolder.getKeyManager()}, new TrustManager[] {this}, null);
        return listeners;
    }

    /** @return the TLS of a peer, which the listener knows */
    SSLContext peers() {
        return peers;
    }

    void awaitAsked() {
        SteppedListener.awaiting().until(() -> asked.getCount() == 0);
    }

    void answer() {
        mayAnswer.countDown();
    }

    private void hold() {
        asked.countDown();
        try {
            mayAnswer.await(MOST_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void checkClientTrusted(final X509Certificate[] chain, final String type, final SSLEngine engine)
            throws CertificateException {
        hold();
        nifis.checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(final X509Certificate[] chain, final String type, final Socket socket)
            throws CertificateException {
        hold();
        nifis.checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(final X509Certificate[] chain, final String type) throws CertificateException {
        hold();
        nifis.checkClientTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(final X509Certificate[] chain, final String type, final SSLEngine engine)
            throws CertificateException {
        nifis.checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(final X509Certificate[] chain, final String type, final Socket socket)
            throws CertificateException {
        nifis.checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(final X509Certificate[] chain, final String type) throws CertificateException {
        nifis.checkServerTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return nifis.getAcceptedIssuers();
    }
}
