// SPDX-License-Identifier: Apache-2.0
/**
 * What an experiment is: settings, axes along which they vary, an order, and the presets that users copy and change.
 */
package org.nios2s.harness.plan;
