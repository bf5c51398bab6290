// SPDX-License-Identifier: Apache-2.0
/** The short programs of {@code docs/client.md}. */
package org.nios2s.client.examples;
