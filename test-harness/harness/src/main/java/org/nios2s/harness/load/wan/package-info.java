// SPDX-License-Identifier: Apache-2.0
/** A wide area network between clients and servers of one machine: a proxy that forwards bytes late. */
package org.nios2s.harness.load.wan;
