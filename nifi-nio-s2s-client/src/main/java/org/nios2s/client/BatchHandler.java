// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

/** Takes the batches of a {@link Receiver}. Called on its virtual threads, and may block. */
@FunctionalInterface
public interface BatchHandler {
    /**
     * Takes one batch. When this returns NiFi is told that it may forget the packets; when it throws NiFi keeps them all
     * and gives them again.
     *
     * <p>For a commit in two phases: write the packets, {@link ReceivedBatch#confirm}, commit, return. What goes wrong
     * before the commit makes NiFi keep its packets; a crash between commit and return makes it give them twice.
     */
    void handle(ReceivedBatch batch) throws Exception;
}
