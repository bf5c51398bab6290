/**
 * What the harness can do with a NiFi: one load, the same load on two listeners, and the checks that belong to it.
 */
package org.nios2s.harness.engine;
