// SPDX-License-Identifier: Apache-2.0
/**
 * The RAW Site-to-Site listener as NiFi sees it: its life cycle, its threads, and the set-up of each new connection.
 *
 * <p>{@link org.nios2s.listener.activation} makes the listener; NiFi starts and stops it on its main thread. No other room may use
 * this one. Connections are set up on IO workers.
 */
package org.nios2s.listener;
