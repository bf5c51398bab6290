// SPDX-License-Identifier: Apache-2.0
/**
 * The RAW Site-to-Site wire format, as both ends read and write it. Nothing here has a thread of its own.
 */
package org.nios2s.wire;
