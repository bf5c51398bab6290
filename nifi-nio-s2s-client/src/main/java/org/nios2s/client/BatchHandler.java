// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

/** Takes the batches that are pulled. Called on virtual threads of this client, and may block. */
@FunctionalInterface
public interface BatchHandler {
    /**
     * Takes one batch. When this returns NiFi is told that it may forget the packets; when it throws, or leaves packets that
     * it did not iterate over, NiFi keeps them all and gives them again. {@link ReceivedBatch#skipRest} leaves them on
     * purpose.
     *
     * <p>For a commit in two phases: write the packets, {@link ReceivedBatch#confirm}, commit, return. What goes wrong
     * before the commit makes NiFi keep its packets; a crash between commit and return makes it give them twice.
     *
     * <p>The thread is interrupted when the transaction ends before this returns.
     *
     * @param batch its packets can be read until this returns
     * @throws Exception to refuse: NiFi keeps all packets of the batch
     */
    void handle(ReceivedBatch batch) throws Exception;
}
