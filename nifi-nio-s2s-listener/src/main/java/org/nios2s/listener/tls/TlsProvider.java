// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

/** What does the arithmetic of TLS. */
public enum TlsProvider {
    /** {@link #OPENSSL} where it loads and can use NiFi's key, else {@link #JDK}. */
    AUTO,
    /** BoringSSL, through the tcnative that NiFi carries. */
    OPENSSL,
    /** The JDK's own. */
    JDK
}
