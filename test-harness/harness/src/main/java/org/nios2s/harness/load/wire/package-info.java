/**
 * The light client: speaks the RAW protocol itself on a few event loops, for thousands of logical clients.
 */
package org.nios2s.harness.load.wire;
