// SPDX-License-Identifier: Apache-2.0
/**
 * The RAW Site-to-Site wire format, as both ends read and write it: no sockets, no threads, only bytes.
 */
package org.nios2s.wire;
