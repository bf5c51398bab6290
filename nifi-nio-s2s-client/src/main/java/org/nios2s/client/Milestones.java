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
package org.nios2s.client;

import java.time.Duration;

/**
 * When a transaction reached what stands between its request and its end, each counted from the request. Immutable; any
 * thread.
 *
 * @param connected it had a connection that was ready for it
 * @param transferred a push had written its last packet, a pull had handed over its last one
 * @param confirmed both ends had found the same checksum
 */
public record Milestones(Duration connected, Duration transferred, Duration confirmed) {}
