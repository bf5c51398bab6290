// SPDX-License-Identifier: Apache-2.0
/** Metrics of a client, for programs that have Micrometer. */
@NullMarked
package org.nios2s.client.metrics;

import org.jspecify.annotations.NullMarked;
