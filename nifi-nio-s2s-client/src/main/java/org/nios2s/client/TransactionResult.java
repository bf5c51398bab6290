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
 * What a completed transaction did. Immutable; any thread.
 *
 * @param packets sent or received; 0 when there was nothing to pull
 * @param bytes of content, without attributes and uncompressed
 * @param duration from the request of the transaction to its completion, waiting for a connection included
 * @param peer with whom, as {@code host:port}
 * @param destinationFull whether the peer took the packets but says that it is full now: back off before the next push
 * @param milestones where the time went
 */
public record TransactionResult(
        long packets, long bytes, Duration duration, String peer, boolean destinationFull, Milestones milestones) {}
