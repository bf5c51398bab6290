// SPDX-License-Identifier: Apache-2.0
/**
 * The bounds of everything that a peer can make us hold: connections, handshakes, permits, memory, rates; and who comes next when a
 * bound is reached.
 *
 * <p>The steps, the ports and the set-up of connections use it, on any thread: all classes are thread-safe or guarded by the lock of
 * the limit that owns them, and none of them blocks. Callbacks run on the thread that made room. It knows nothing of NiFi.
 */
package org.nios2s.listener.limits;
