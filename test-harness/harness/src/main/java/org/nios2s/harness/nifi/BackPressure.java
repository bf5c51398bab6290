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
package org.nios2s.harness.nifi;

/**
 * From what on a queue makes its source wait; 0 means never.
 * Immutable, for any thread.
 *
 * @param flowFiles number of FlowFiles
 * @param bytes their contents' sizes, added
 */
public record BackPressure(long flowFiles, long bytes) {

    private static final long MANY_FLOW_FILES = 1_000_000;
    private static final long MANY_BYTES = 10_000_000_000L;

    /** So late that no scenario meets it unless its sink stands still. */
    public static BackPressure generous() {
        return new BackPressure(MANY_FLOW_FILES, MANY_BYTES);
    }
}
