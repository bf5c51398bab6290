// SPDX-License-Identifier: Apache-2.0
/** The load on the client of this project: all logical clients on one connector. */
package org.nios2s.harness.load.nio;
