// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.nios2s.peers.TestPeer;

/** For each test a listener, and a peer that has connected to it. Lives on the test's thread. */
abstract class OnePeer {
    SteppedListener listener;
    TestPeer peer;

    /** Makes the listener of each test. */
    SteppedListener serve() throws Exception {
        return new SteppedListener();
    }

    @BeforeEach
    final void start() throws Exception {
        listener = serve();
        peer = listener.connect();
    }

    @AfterEach
    final void stop() throws Exception {
        peer.close();
        listener.close();
    }
}
