// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.connectable.Connection;
import org.apache.nifi.controller.queue.FlowFileQueue;
import org.apache.nifi.controller.queue.QueueSize;

/** Makes connections whose queue counts as NiFi's does. Any thread. */
final class Destinations {
    private Destinations() {}

    /** @return an empty connection that is full with so many FlowFiles */
    static Connection withThreshold(final long flowFiles) {
        return withThresholds(new AtomicInteger(), flowFiles, "0 B", 0);
    }

    /**
     * @param queued FlowFiles in the queue now
     * @param threshold back pressure in FlowFiles; 0 for none
     * @param sizeThreshold back pressure as the flow has it; "0 B" for none
     * @param bytesEach size of each FlowFile
     */
    static Connection withThresholds(
            final AtomicInteger queued, final long threshold, final String sizeThreshold, final long bytesEach) {
        final Connection connection = mock(Connection.class, withSettings().stubOnly());
        final FlowFileQueue queue = mock(FlowFileQueue.class, withSettings().stubOnly());
        when(connection.getFlowFileQueue()).thenReturn(queue);
        when(queue.getBackPressureObjectThreshold()).thenReturn(threshold);
        when(queue.getBackPressureDataSizeThreshold()).thenReturn(sizeThreshold);
        when(queue.size()).thenAnswer(invocation -> new QueueSize(queued.get(), queued.get() * bytesEach));
        when(queue.isFull()).thenAnswer(invocation -> threshold > 0 && queued.get() >= threshold);
        return connection;
    }
}
