// SPDX-License-Identifier: Apache-2.0
/** A real NiFi to measure and test against: assembled, configured, started, driven over its REST API and stopped. */
package org.nios2s.harness.nifi;
