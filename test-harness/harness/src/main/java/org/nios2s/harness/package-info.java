// SPDX-License-Identifier: Apache-2.0
/** The command line {@code s2s-harness}: its root command and what all of its commands share. */
package org.nios2s.harness;
