// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
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
        return withCertificates(keyManager.getServerAliases(keyType, issuers));
    }

    @Override
    public String chooseEngineClientAlias(final String[] keyTypes, final Principal[] issuers, final SSLEngine engine) {
        return withCertificate(keyManager.chooseEngineClientAlias(keyTypes, issuers, engine));
    }

    @Override
    public String chooseClientAlias(final String[] keyTypes, final Principal[] issuers, final Socket socket) {
        return withCertificate(keyManager.chooseClientAlias(keyTypes, issuers, socket));
    }

    @Override
    public String[] getClientAliases(final String keyType, final Principal[] issuers) {
        return withCertificates(keyManager.getClientAliases(keyType, issuers));
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

    private String[] withCertificates(final String[] aliases) {
        if (aliases == null) {
            return null;
        }
        final String[] named = new String[aliases.length];
        for (int i = 0; i < aliases.length; i++) {
            named[i] = withCertificate(aliases[i]);
        }
        return named;
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
