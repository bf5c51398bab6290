// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

/** Which Site-to-Site listener a NiFi serves its RAW port with. Immutable; any thread. */
public enum Listener {
    /** The non-blocking listener: our NAR in {@code lib/} and the property that activates it. */
    NIO,
    /** NiFi's own: neither the NAR nor the property. */
    STOCK
}
