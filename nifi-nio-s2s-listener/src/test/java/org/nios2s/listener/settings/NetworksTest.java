// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which addresses are in a network. Lives on the test's thread. */
@DisplayName("Networks")
class NetworksTest {
    @Test
    @DisplayName("may be none")
    void none() throws Exception {
        assertFalse(Networks.NONE.test(InetAddress.getByName("127.0.0.1")));
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.7, 10.0.0.7, true",
        "10.0.0.7, 10.0.0.8, false",
        "'10.0.0.7, 10.0.0.8', 10.0.0.8, true",
        "10.1.0.0/16, 10.1.255.255, true",
        "10.1.0.0/16, 10.2.0.0, false",
        "10.0.0.0/31, 10.0.0.1, true",
        "10.0.0.0/31, 10.0.0.2, false",
        "0.0.0.0/0, 203.0.113.9, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "::/0, 10.0.0.7, false",
        "'10.0.0.0/8,2001:db8::/32', 2001:db8:ffff::1, true",
        "'10.0.0.0/8,2001:db8::/32', 2001:db9::1, false",
        "::1, 0:0:0:0:0:0:0:1, true",
        "fe80::/10, fe80::7%2, true"
    })
    @DisplayName("contain the addresses that begin with the same bits")
    void contains(final String networks, final String address, final boolean expected) throws Exception {
        assertEquals(expected, Networks.parse(networks).test(InetAddress.getByName(address)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "balancer.example",
                "10.0.0.7,",
                ",10.0.0.7",
                "10.0.0.7 10.0.0.8",
                "10.0.0",
                "10.0.0.256",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/",
                "/8",
                "10.0.0.0/8/8",
                "10.0.0.7/8",
                "0.0.0.1/0",
                "2001:db8::/129",
                "2001:db8::1/64",
                "",
                "[::1]:80",
                "*"
            })
    @DisplayName("are refused if one of them is neither an address nor a network")
    void malformed(final String text) {
        assertThrows(IllegalArgumentException.class, () -> Networks.parse(text));
    }
}
