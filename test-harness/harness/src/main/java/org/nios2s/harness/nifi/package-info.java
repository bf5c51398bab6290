// SPDX-License-Identifier: Apache-2.0
/**
 * A real NiFi to measure and test against: assembled, configured, started, driven over its REST API and stopped.
 *
 * <p>By hand: {@code Deadline}, since what Awaitility says after a time-out is for the author of a test, not for a user; and the
 * requests to NiFi's REST API, since a client library is made for one release of NiFi, and any release 2 is started here.
 */
package org.nios2s.harness.nifi;
