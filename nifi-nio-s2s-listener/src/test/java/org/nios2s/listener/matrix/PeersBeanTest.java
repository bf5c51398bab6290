// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import javax.management.ObjectName;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nios2s.peers.TestPeer;

/** Which peers stand out, as the bean tells it. Lives on the test's thread. */
@Timeout(60)
class PeersBeanTest {
    private static final int PATIENCE_MILLIS = 20_000;

    private static String read(final MatrixListener listener, final String attribute) throws Exception {
        final ObjectName bean = new ObjectName("org.nios2s:type=SiteToSitePeers,port=" + listener.port());
        return (String) ManagementFactory.getPlatformMBeanServer().getAttribute(bean, attribute);
    }

    @ParameterizedTest
    @CsvSource({"PLAIN_EPOLL, 127.0.0.1", "BORINGSSL_EPOLL, 'OU=Tests, CN=matrix'"})
    @DisplayName(
            "a peer is an address, over TLS an identity; pushes, pulls and faults count, and silence where it is connected")
    void tellsOfPeers(final Variant variant, final String name) throws Exception {
        final String peer = "[{\"peer\":\"" + name + "\",";
        try (MatrixListener listener = MatrixListener.patient(variant)) {
            assertEquals("[]", read(listener, "TopPeersByBytes"));
            try (TestPeer push = listener.connect();
                    TestPeer pull = listener.connect()) {
                Place.CONFIRMATION.reach(push, listener);
                push.confirm();
                push.expect(ResponseCode.TRANSACTION_FINISHED);
                Place.FINISH.reach(pull, listener);
                pull.say(ResponseCode.TRANSACTION_FINISHED);
                MatrixListener.awaiting()
                        .until(() -> read(listener, "TopPeersByTransactions").equals(peer + "\"transactions\":2}]"));
                assertEquals(peer + "\"bytes\":" + 2 * Place.Size.SMALL + "}]", read(listener, "TopPeersByBytes"));
                MatrixListener.awaiting()
                        .until(() -> read(listener, "LongestIdlePeers").startsWith(peer + "\"seconds\":"));
                assertEquals("[]", read(listener, "TopPeersByFaults"));
                push.request("NONSENSE");
                assertTrue(push.isEndedWithin(PATIENCE_MILLIS));
            }
            MatrixListener.awaiting()
                    .until(() -> read(listener, "TopPeersByFaults").equals(peer + "\"faults\":1}]"));
            listener.awaitNoConnection();
            MatrixListener.awaiting()
                    .until(() -> read(listener, "LongestIdlePeers").equals("[]"));
        }
    }
}
