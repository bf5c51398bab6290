/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.listener.port;

import java.util.Map;
import org.apache.nifi.flowfile.FlowFile;

/**
 * A FlowFile of a {@link RecordingSession}. Immutable; any thread.
 *
 * @param id of the FlowFile
 * @param attributes of it
 * @param content of it
 */
public record ReceivedFlowFile(long id, Map<String, String> attributes, byte[] content) implements FlowFile {
    @Override
    public long getId() {
        return id;
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
        return content.length;
    }

    @Override
    public Map<String, String> getAttributes() {
        return attributes;
    }

    @Override
    public int compareTo(final FlowFile other) {
        return Long.compare(id, other.getId());
    }
}
