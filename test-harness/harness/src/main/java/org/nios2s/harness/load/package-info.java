// SPDX-License-Identifier: Apache-2.0
/** Load on a RAW Site-to-Site port: what to send, the clients that can send it, and what they measured. */
package org.nios2s.harness.load;
