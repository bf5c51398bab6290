// SPDX-License-Identifier: Apache-2.0
/**
 * The RAW Site-to-Site wire format, as both ends read and write it: bytes, and one channel
 * handler that reads on demand, which the client alone uses. Nothing here has a thread of its own.
 */
package org.nios2s.wire;
