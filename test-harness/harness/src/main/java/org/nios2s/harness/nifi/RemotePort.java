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
 * A port of another NiFi as a remote process group shows it.
 * Immutable, for any thread.
 *
 * @param group id of the remote process group
 * @param id its id in that group
 * @param input whether data is sent to it; otherwise data is pulled from it
 */
public record RemotePort(String group, String id, boolean input) {

    String connectableType() {
        return input ? "REMOTE_INPUT_PORT" : "REMOTE_OUTPUT_PORT";
    }
}
