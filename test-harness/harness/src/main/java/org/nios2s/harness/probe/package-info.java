// SPDX-License-Identifier: Apache-2.0
/**
 * Observations and actions beside a load: before it, while it runs, and after it. A new probe is a class here, its
 * settings in {@code Parameter}, its metrics in {@code Metric}.
 */
package org.nios2s.harness.probe;
