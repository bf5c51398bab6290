// SPDX-License-Identifier: Apache-2.0
/**
 * The settings in {@code nifi.properties}: names, defaults, accepted values, and the errors for all others.
 *
 * <p>Read once, on NiFi's main thread, before the take-over; the result is immutable, and every room may use it on any thread.
 */
package org.nios2s.listener.settings;
