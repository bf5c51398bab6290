/** The commands of {@code s2s-harness} that start, stop and look at a NiFi. */
package org.nios2s.harness.cli;
