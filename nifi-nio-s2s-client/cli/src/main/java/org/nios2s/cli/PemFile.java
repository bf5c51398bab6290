// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates and keys as PEM. Stateless; any thread. */
final class PemFile {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN ([A-Z ]*)PRIVATE KEY-----([^-]*)-----END \\1PRIVATE KEY-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");

    private PemFile() {}

    /** @return at least one */
    static List<Certificate> certificates(final Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            final List<Certificate> found =
                    List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(in));
            if (found.isEmpty()) {
                throw new UserMistake(file + " contains no certificate");
            }
            return found;
        } catch (final CertificateException e) {
            throw new UserMistake(file + " contains no certificates as PEM: " + e.getMessage(), e);
        } catch (final IOException e) {
            throw new UserMistake(FileMessages.of(e), e);
        }
    }

    static PrivateKey key(final Path file) {
        final Matcher block;
        try {
            // A byte is a character: whatever the file is, it can be searched.
            block = KEY.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
        } catch (final IOException e) {
            throw new UserMistake(FileMessages.of(e), e);
        }
        if (!block.find()) {
            throw new UserMistake(file + " contains no private key as PEM");
        }
        if (!block.group(1).isEmpty()) {
            throw new UserMistake(file + " contains a key that is encrypted or not PKCS #8. This makes it one:"
                    + " openssl pkcs8 -topk8 -nocrypt -in " + file + " -out key.pem");
        }
        return parse(file, block.group(2));
    }

    private static PrivateKey parse(final Path file, final String base64) {
        final PKCS8EncodedKeySpec encoded;
        try {
            encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(base64));
        } catch (final IllegalArgumentException e) {
            throw new UserMistake("The private key in " + file + " is damaged: " + e.getMessage(), e);
        }
        InvalidKeySpecException last = null;
        for (final String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (final InvalidKeySpecException e) {
                last = e;
            } catch (final NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
        throw new UserMistake("The private key in " + file + " is damaged, or none of " + ALGORITHMS, last);
    }
}
