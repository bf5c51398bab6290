// SPDX-License-Identifier: Apache-2.0
/**
 * NiFi's own interface of a client, on the engine of this one: a drop-in for programs that are written for NiFi's client.
 */
@NullMarked
package org.nios2s.client.nifi;

import org.jspecify.annotations.NullMarked;
