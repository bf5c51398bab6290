// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi.security;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.net.ssl.SSLContext;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.ClientTls;

/**
 * The key stores, the trust store and their password of one secured NiFi, kept in a directory of its home.
 * Immutable; any thread.
 *
 * @param directory that holds them
 * @param password  of every key store, key and trust store here
 */
public record SecurityFiles(Path directory, String password) {

    public static final String STORE_TYPE = "PKCS12";

    private static final String AUTHORITY_FILE = "authority.p12";
    private static final String TRUST_FILE = "trust.p12";
    private static final String PASSWORD_FILE = "password";
    private static final String AUTHORITY_NAME = "CN=s2s-harness authority, OU=s2s-harness";
    private static final int PASSWORD_BYTES = 16;

    /** The files in a directory, made when they are missing. */
    public static SecurityFiles ensure(final Path directory) {
        if (Files.exists(directory.resolve(PASSWORD_FILE))) {
            return open(directory);
        }
        final byte[] random = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(random);
        final SecurityFiles files = new SecurityFiles(directory, HexFormat.of().formatHex(random));
        files.make();
        return files;
    }

    /** The files in a directory, which are there. */
    public static SecurityFiles open(final Path directory) {
        final Path file = directory.resolve(PASSWORD_FILE);
        final String password = HarnessException.attempt(
                e -> "Cannot read " + file + ": is this the home of a secured NiFi?",
                () -> Files.readString(file, StandardCharsets.US_ASCII));
        return new SecurityFiles(directory, password.strip());
    }

    @Override
    public String toString() { // without the password
        return directory.toString();
    }

    /** The file that holds the key of an identity. */
    public Path keyStore(final Identity identity) {
        return directory.resolve(identity.fileName());
    }

    /** The file that holds the authority that issued every certificate here. */
    public Path trustStore() {
        return directory.resolve(TRUST_FILE);
    }

    /** The authority itself, for certificates of other kinds. */
    public CertificateAuthority authority() {
        final char[] secret = password.toCharArray();
        return CertificateAuthority.of(ClientTls.load(directory.resolve(AUTHORITY_FILE), secret), secret);
    }

    /** Keeps a key store, protected by {@link #password()}, under a name of its own. */
    public Path save(final String fileName, final KeyStore store) {
        final Path file = directory.resolve(fileName);
        try {
            createPrivately(file);
            try (OutputStream stream = Files.newOutputStream(file)) {
                store.store(stream, password.toCharArray());
            }
            return file;
        } catch (final IOException | GeneralSecurityException e) {
            throw new HarnessException("Cannot write " + file, e);
        }
    }

    /** Trust and own certificate for connecting with a key store of this password. */
    public SSLContext context(final Path keyStore) {
        return tls(keyStore).context();
    }

    /** The same, for any TLS library. */
    public ClientTls tls(final Path keyStore) {
        return ClientTls.of(keyStore, trustStore(), password.toCharArray());
    }

    private void make() {
        final CertificateAuthority authority = CertificateAuthority.create(AUTHORITY_NAME);
        HarnessException.attempt(e -> "Cannot make the certificates in " + directory, () -> {
            Files.createDirectories(directory);
            save(AUTHORITY_FILE, authority.keyStore(password.toCharArray()));
            save(TRUST_FILE, authority.trustStore());
            for (final Identity identity : Identity.values()) {
                save(identity.fileName(), authority.issue(identity.distinguishedName(), password.toCharArray()));
            }
            final Path file = directory.resolve(PASSWORD_FILE);
            createPrivately(file);
            Files.writeString(file, password, StandardCharsets.US_ASCII);
        });
    }

    private static void createPrivately(final Path file) throws IOException {
        Files.deleteIfExists(file);
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
    }
}
