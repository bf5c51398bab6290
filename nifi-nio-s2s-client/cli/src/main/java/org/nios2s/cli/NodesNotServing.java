// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.Direction;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;

/**
 * The nodes that failed or refused in this run, and have not served since. Told on IO workers and the main thread, which asks.
 *
 * <p>A poll leaves such a node out for a while, so an empty answer says nothing about the FlowFiles of that node.
 */
final class NodesNotServing implements ClientObserver {
    private final Map<String, FailureReason> reasons = new TreeMap<>();

    @Override
    public synchronized void transactionFailed(final Direction direction, final TransactionException failure) {
        // In that step the failure names the cluster, and the poll itself fails or finds its peers later.
        if (failure.step() != TransactionStep.FIND_PEER) {
            reasons.put(failure.peer(), failure.reason());
        }
    }

    /** A node that failed is asked over another connection, and one that has nothing is not heard of otherwise. */
    @Override
    public synchronized void connectionOpened(final Connection connection) {
        reasons.remove(connection.peer());
    }

    @Override
    public synchronized void transactionCompleted(final Direction direction, final TransactionResult result) {
        reasons.remove(result.peer());
    }

    /** @throws IOException if there are some; names them */
    synchronized void requireNone() throws IOException {
        if (!reasons.isEmpty()) {
            // A peer's host comes from the peer list, and a failure's text from the peer: neither is printed as it is.
            final String nodes = reasons.entrySet().stream()
                    .map(node -> PrintedText.of(node.getKey()) + " (" + node.getValue() + ")")
                    .collect(Collectors.joining(", "));
            throw new IOException("NiFi may have more FlowFiles on nodes that failed or refused: " + nodes
                    + ". Run the command again to receive them");
        }
    }
}
