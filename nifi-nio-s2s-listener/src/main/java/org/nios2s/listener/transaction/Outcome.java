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
package org.nios2s.listener.transaction;

import org.nios2s.listener.PeerFault;

/**
 * What became of a transaction at its port. Immutable; any thread.
 *
 * @param fault why it was not committed, or null if it was
 * @param destinationFull whether it was committed and the port has no room for more
 */
public record Outcome(PeerFault fault, boolean destinationFull) {
    /** Committed; more is welcome. */
    public static final Outcome COMMITTED = new Outcome(null, false);

    /** Committed; the peer should pause. */
    public static final Outcome COMMITTED_AND_FULL = new Outcome(null, true);

    /** Rolled back. */
    public static Outcome failed(final PeerFault fault) {
        return new Outcome(fault, false);
    }
}
