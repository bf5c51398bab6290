// SPDX-License-Identifier: Apache-2.0
/** The harness's processors: a sink that drops FlowFiles and keeps a ledger of them, and sources to measure with. */
package org.nios2s.harness.sink;
