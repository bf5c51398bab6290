// SPDX-License-Identifier: Apache-2.0
/** The commands: one vocabulary of options, made from the parameters of an experiment. */
package org.nios2s.harness.cli;
