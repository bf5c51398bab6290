// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * Another key manager whose aliases name the certificate, too: {@code alias#serial-hash}. So whoever keeps what it has
 * made of a key, by alias, sees that a reloaded key is another one. Thread-safe if the other one is.
 */
final class CertificateAliasKeyManager extends X509ExtendedKeyManager {
    private static final char SEPARATOR = '#';

    private final X509ExtendedKeyManager keyManager;

    CertificateAliasKeyManager(final X509ExtendedKeyManager keyManager) {
        this.keyManager = keyManager;
    }

    @Override
    public String chooseEngineServerAlias(final String keyType, final Principal[] issuers, final SSLEngine engine) {
        return withCertificate(keyManager.chooseEngineServerAlias(keyType, issuers, engine));
    }

    @Override
    public String chooseServerAlias(final String keyType, final Principal[] issuers, final Socket socket) {
        return withCertificate(keyManager.chooseServerAlias(keyType, issuers, socket));
    }

    @Override
    public String[] getServerAliases(final String keyType, final Principal[] issuers) {
        final String[] aliases = keyManager.getServerAliases(keyType, issuers);
        return aliases == null
                ? null
                : Arrays.stream(aliases).map(this::withCertificate).toArray(String[]::new);
    }

    /** We are a server. */
    @Override
    public String chooseClientAlias(final String[] keyTypes, final Principal[] issuers, final Socket socket) {
        return null;
    }

    @Override
    public String[] getClientAliases(final String keyType, final Principal[] issuers) {
        return null;
    }

    /** @return null as well if the alias has another certificate by now */
    @Override
    public X509Certificate[] getCertificateChain(final String alias) {
        final X509Certificate[] chain = keyManager.getCertificateChain(plain(alias));
        return chain != null && alias.equals(aliasOf(plain(alias), chain)) ? chain : null;
    }

    @Override
    public PrivateKey getPrivateKey(final String alias) {
        return keyManager.getPrivateKey(plain(alias));
    }

    private String withCertificate(final String alias) {
        final X509Certificate[] chain = alias == null ? null : keyManager.getCertificateChain(alias);
        return chain == null || chain.length == 0 ? null : aliasOf(alias, chain);
    }

    private static String aliasOf(final String alias, final X509Certificate[] chain) {
        return alias + SEPARATOR + chain[0].getSerialNumber().toString(Character.MAX_RADIX) + '-' + chain[0].hashCode();
    }

    private static String plain(final String alias) {
        return alias.substring(0, alias.lastIndexOf(SEPARATOR));
    }
}
