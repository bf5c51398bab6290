// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.SecureRandom;
import java.security.UnrecoverableKeyException;
import java.security.cert.Certificate;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import picocli.CommandLine.Option;

/** The command's own certificate and the authorities that it trusts: from stores of Java, or from PEM files. Belongs to the main thread. */
final class TlsOptions {
    @Option(names = "--keystore", description = "Certificate and key of this client: PKCS #12 or JKS.")
    private Path keystore;

    @Option(
            names = "--keystore-password",
            arity = "0..1",
            interactive = true,
            defaultValue = "${env:S2S_KEYSTORE_PASSWORD}",
            description = "Asked for if no value follows. Default: the variable S2S_KEYSTORE_PASSWORD.")
    private char[] keystorePassword;

    @Option(
            names = "--truststore",
            description = "Trusted certificates: PKCS #12 or JKS. Default: those that Java trusts.")
    private Path truststore;

    @Option(
            names = "--truststore-password",
            arity = "0..1",
            interactive = true,
            defaultValue = "${env:S2S_TRUSTSTORE_PASSWORD}",
            description = "Asked for if no value follows. Default: the variable S2S_TRUSTSTORE_PASSWORD.")
    private char[] truststorePassword;

    @Option(
            names = "--cert",
            description = "Certificate of this client as PEM, followed by those that issued it; with --key.")
    private Path certificate;

    @Option(names = "--key", description = "Key of this client as PEM: PKCS #8, not encrypted.")
    private Path key;

    @Option(names = "--ca", description = "Trusted certificates as PEM. Default: those that Java trusts.")
    private Path authorities;

    /** @return null if there is no option for TLS */
    SSLContext context() {
        if (keystore != null && (certificate != null || key != null)) {
            throw new UserMistake("Give either --keystore or --cert and --key, not both");
        }
        if (truststore != null && authorities != null) {
            throw new UserMistake("Give either --truststore or --ca, not both");
        }
        if ((certificate == null) != (key == null)) {
            throw new UserMistake(
                    "--cert and --key belong together: " + (certificate == null ? "--cert" : "--key") + " is missing");
        }
        final boolean none = keystore == null && certificate == null && truststore == null && authorities == null;
        if (none) {
            return null;
        }
        try {
            final SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers(), trustManagers(), new SecureRandom());
            return context;
        } catch (final GeneralSecurityException e) {
            throw new UserMistake("TLS can't be set up: " + e.getMessage(), e);
        }
    }

    private KeyManager[] keyManagers() throws GeneralSecurityException {
        if (keystore != null) {
            return keyManagers(load("--keystore", keystore, keystorePassword), keystorePassword);
        }
        if (certificate == null) {
            return null;
        }
        final List<Certificate> chain = PemFile.certificates(certificate);
        final KeyStore store = empty();
        store.setKeyEntry("key", PemFile.key(key), new char[0], chain.toArray(Certificate[]::new));
        return keyManagers(store, new char[0]);
    }

    private KeyManager[] keyManagers(final KeyStore store, final char[] password) throws GeneralSecurityException {
        try {
            final KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, password);
            return factory.getKeyManagers();
        } catch (final UnrecoverableKeyException e) {
            throw new UserMistake("The key in " + keystore + " has another password than the store", e);
        }
    }

    private TrustManager[] trustManagers() throws GeneralSecurityException {
        final KeyStore trusted = trusted();
        if (trusted == null) {
            return null;
        }
        final TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        return factory.getTrustManagers();
    }

    private KeyStore trusted() throws GeneralSecurityException {
        if (truststore != null) {
            return load("--truststore", truststore, truststorePassword);
        }
        if (authorities == null) {
            return null;
        }
        final KeyStore store = empty();
        int number = 0;
        for (final Certificate trusted : PemFile.certificates(authorities)) {
            store.setCertificateEntry("ca-" + number, trusted);
            number++;
        }
        return store;
    }

    private static KeyStore load(final String option, final Path file, final char[] password)
            throws GeneralSecurityException {
        if (password == null) {
            throw new UserMistake(option + " " + file + " needs a password: give " + option
                    + "-password, or set the variable S2S_"
                    + option.substring(2).toUpperCase(Locale.ROOT)
                    + "_PASSWORD");
        }
        try {
            return KeyStore.getInstance(file.toFile(), password);
        } catch (final KeyStoreException e) {
            throw new UserMistake(option + " " + file + " is neither PKCS #12 nor JKS", e);
        } catch (final IOException e) {
            if (e.getCause() instanceof UnrecoverableKeyException) {
                throw new UserMistake("The password of " + option + " " + file + " is wrong", e);
            }
            throw new UserMistake(option + " can't be read: " + FileMessages.of(e), e);
        } catch (final IllegalArgumentException e) {
            throw new UserMistake(option + " " + file + " is not a file", e);
        }
    }

    private static KeyStore empty() throws GeneralSecurityException {
        try {
            final KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            return store;
        } catch (final IOException e) {
            throw new GeneralSecurityException(e);
        }
    }
}
