// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.nios2s.peers.Message;

/** A peer whose TLS is OpenSSL's: the command of that name. For one thread. */
final class OpenSslPeer {
    private static final int PATIENCE_SECONDS = 20;

    /** The answer to a version of the protocol that is understood. */
    private static final int RESOURCE_OK = 20;

    private OpenSslPeer() {}

    static boolean isThere() throws InterruptedException {
        try {
            return new ProcessBuilder("openssl", "version").start().waitFor() == 0;
        } catch (final IOException e) {
            return false;
        }
    }

    /** @return whether a listener takes a peer with these keys to the first message of the protocol */
    static boolean isServed(final Path directory, final KeyStore keys, final int port, final String protocol)
            throws Exception {
        final Path key = directory.resolve("key.pem");
        final Path own = directory.resolve("own.pem");
        final Path chain = directory.resolve("chain.pem");
        Files.writeString(
                key,
                pem(
                        "PRIVATE KEY",
                        keys.getKey(MatrixTls.OWN, MatrixTls.PASSWORD).getEncoded()));
        final Certificate[] certificates = keys.getCertificateChain(MatrixTls.OWN);
        Files.writeString(own, pem("CERTIFICATE", certificates[0].getEncoded()));
        final StringBuilder issuers = new StringBuilder();
        for (int issuer = 1; issuer < certificates.length; issuer++) {
            issuers.append(pem("CERTIFICATE", certificates[issuer].getEncoded()));
        }
        Files.writeString(chain, issuers);
        final Process peer = new ProcessBuilder(
                        "openssl",
                        "s_client",
                        "-quiet",
                        "TLSv1.3".equals(protocol) ? "-tls1_3" : "-tls1_2",
                        "-connect",
                        "127.0.0.1:" + port,
                        "-key",
                        key.toString(),
                        "-cert",
                        own.toString(),
                        "-cert_chain",
                        chain.toString())
                .redirectError(directory.resolve("openssl.txt").toFile())
                .start();
        try (OutputStream out = peer.getOutputStream()) {
            out.write(Message.all(Message.magic(), Message.protocol(Message.NEWEST_VERSION)));
            out.flush();
            return peer.getInputStream().read() == RESOURCE_OK;
        } catch (final IOException e) {
            return false;
        } finally {
            peer.destroyForcibly();
            peer.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static String pem(final String what, final byte[] bytes) {
        return "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes) + "\n-----END " + what + "-----\n";
    }
}
