// SPDX-License-Identifier: Apache-2.0
/**
 * Experiments as data: settings, axes along which they vary, an order, and the presets that users copy and change.
 */
package org.nios2s.harness.plan;
