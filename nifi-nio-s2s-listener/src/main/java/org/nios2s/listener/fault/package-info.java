// SPDX-License-Identifier: Apache-2.0
/**
 * Faults: the reasons for which a connection is closed, how they are logged, and the guard at a thread's boundary.
 *
 * <p>Every room may use it, on any thread. It knows no other room but the clock, and nothing of NiFi.
 */
package org.nios2s.listener.fault;
