// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.probe.LoopbackTraffic.Count;

/** Traffic by the kernel's counters of interfaces. Runs on the test's thread. */
class LoopbackTrafficTest {

    @Test
    void theLoopbackInterfaceIsReadAndNoOther() {
        assertEquals(
                Optional.of(new Count(350, 15)),
                Count.of(List.of(
                        "Inter-|   Receive       |  Transmit",
                        " face |bytes    packets errs |bytes    packets errs",
                        "  eth0: 7 7 7 7 7 7",
                        "    lo:350 15 0 350 15 0")));
        assertEquals(Optional.empty(), Count.of(List.of("  eth0: 7 7 7")));
    }

    @Test
    void aHostWithoutAnAddressIsNotThere() {
        assertTrue(LoopbackTraffic.leadsTo(new InetSocketAddress("127.0.0.1", 1)));
        assertFalse(LoopbackTraffic.leadsTo(new InetSocketAddress("192.0.2.1", 1)));
        assertFalse(LoopbackTraffic.leadsTo(InetSocketAddress.createUnresolved("nowhere.invalid", 1)));
    }

    @Test
    void aTransactionHasItsShareAndARunWithoutOneHasNone() {
        assertEquals(
                Map.of("net-packets", 7.0, "net-kib", 2.0),
                LoopbackTraffic.metrics(new Count(100, 10), new Count(100 + 10 * 2_048, 80), 10));
        assertEquals(Map.of(), LoopbackTraffic.metrics(new Count(0, 0), new Count(1, 1), 0));
    }
}
