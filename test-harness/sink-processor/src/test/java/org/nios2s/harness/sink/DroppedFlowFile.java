// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.sink;

import java.util.Map;
import org.apache.nifi.flowfile.FlowFile;

/**
 * A FlowFile as far as the ledger looks at it.
 * Immutable, for any thread.
 *
 * @param size size of its content
 * @param attributes its attributes
 */
record DroppedFlowFile(long size, Map<String, String> attributes) implements FlowFile {

    @Override
    public long getId() {
        return 0;
    }

    @Override
    public long getEntryDate() {
        return 0;
    }

    @Override
    public long getLineageStartDate() {
        return 0;
    }

    @Override
    public long getLineageStartIndex() {
        return 0;
    }

    @Override
    public Long getLastQueueDate() {
        return null;
    }

    @Override
    public long getQueueDateIndex() {
        return 0;
    }

    @Override
    public boolean isPenalized() {
        return false;
    }

    @Override
    public String getAttribute(final String key) {
        return attributes.get(key);
    }

    @Override
    public long getSize() {
        return size;
    }

    @Override
    public Map<String, String> getAttributes() {
        return attributes;
    }

    @Override
    public int compareTo(final FlowFile other) {
        return Long.compare(size, other.getSize());
    }
}
