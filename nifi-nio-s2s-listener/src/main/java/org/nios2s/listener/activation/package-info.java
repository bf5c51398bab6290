// SPDX-License-Identifier: Apache-2.0
/**
 * The way into an unmodified NiFi: the checks at the start, and the take-over of the stock listener's place.
 *
 * <p>NiFi calls it, on its main thread, before {@code FlowController} is loaded. No other room may use this one.
 */
package org.nios2s.listener.activation;
