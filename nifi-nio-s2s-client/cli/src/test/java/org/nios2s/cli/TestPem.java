// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Date;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Makes PEM files. Stateless; any thread. */
final class TestPem {
    private TestPem() {}

    static String certificate() throws Exception {
        final KeyPair pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
        final X500Principal name = new X500Principal("CN=test");
        final Instant now = Instant.now();
        final byte[] encoded = new JcaX509v3CertificateBuilder(
                        name,
                        BigInteger.ONE,
                        Date.from(now),
                        Date.from(now.plus(1, ChronoUnit.DAYS)),
                        name,
                        pair.getPublic())
                .build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate()))
                .getEncoded();
        return "-----BEGIN CERTIFICATE-----\n" + Base64.getMimeEncoder().encodeToString(encoded)
                + "\n-----END CERTIFICATE-----\n";
    }
}
