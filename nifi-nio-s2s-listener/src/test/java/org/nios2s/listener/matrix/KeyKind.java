// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.DefaultSignatureAlgorithmIdentifierFinder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A kind of key that Java's TLS may have, and how it signs certificates. Immutable; any thread. */
enum KeyKind {
    RSA("RSA", 2048, "SHA256withRSA"),
    RSA_PSS("RSASSA-PSS", 2048, "RSASSA-PSS"),
    P256("EC", 256, "SHA256withECDSA"),
    P384("EC", 384, "SHA384withECDSA"),
    P521("EC", 521, "SHA512withECDSA"),
    ED25519("Ed25519", 0, "Ed25519"),
    ED448("Ed448", 0, "Ed448"),
    /** With TLS 1.2 alone. */
    DSA("DSA", 2048, "SHA256withDSA");

    private final String algorithm;
    private final int bits;
    private final String signature;

    KeyKind(final String algorithm, final int bits, final String signature) {
        this.algorithm = algorithm;
        this.bits = bits;
        this.signature = signature;
    }

    KeyPair generate() throws GeneralSecurityException {
        final KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        if (bits > 0) {
            generator.initialize(bits);
        }
        return generator.generateKeyPair();
    }

    ContentSigner signer(final PrivateKey key) throws GeneralSecurityException, OperatorCreationException {
        if (this == RSA_PSS) {
            return new PssSigner(key);
        }
        return new JcaContentSignerBuilder(signature).build(key);
    }

    /** Signs as Java calls it: Bouncy Castle looks for a name that Java's own providers don't have. For one thread. */
    private static final class PssSigner implements ContentSigner {
        private final ByteArrayOutputStream signed = new ByteArrayOutputStream();
        private final Signature signature;

        private PssSigner(final PrivateKey key) throws GeneralSecurityException {
            signature = Signature.getInstance("RSASSA-PSS");
            signature.setParameter(new PSSParameterSpec(
                    "SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, PSSParameterSpec.TRAILER_FIELD_BC));
            signature.initSign(key);
        }

        @Override
        public AlgorithmIdentifier getAlgorithmIdentifier() {
            return new DefaultSignatureAlgorithmIdentifierFinder().find("SHA256withRSAandMGF1");
        }

        @Override
        public OutputStream getOutputStream() {
            return signed;
        }

        @Override
        public byte[] getSignature() {
            try {
                signature.update(signed.toByteArray());
                return signature.sign();
            } catch (final SignatureException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
