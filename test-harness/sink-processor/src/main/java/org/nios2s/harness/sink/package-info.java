/** The harness's sink: a NiFi processor that drops FlowFiles and keeps a ledger of them. */
package org.nios2s.harness.sink;
