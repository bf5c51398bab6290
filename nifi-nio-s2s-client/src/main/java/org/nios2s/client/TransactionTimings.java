// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;

/**
 * When a transaction reached what stands between its request and its end, each counted from the request. Immutable; any
 * thread.
 *
 * @param connected it had a connection that was ready for it
 * @param transferred a push had written its last packet, a pull had handed over its last one
 * @param confirmed both ends had found the same checksum
 */
public record TransactionTimings(Duration connected, Duration transferred, Duration confirmed) {
    TransactionTimings after(final Duration earlier) {
        return new TransactionTimings(connected.plus(earlier), transferred.plus(earlier), confirmed.plus(earlier));
    }
}
