// SPDX-License-Identifier: Apache-2.0
/**
 * The execution of an experiment: servers, the runner that goes through them, one run with all that is watched meanwhile.
 *
 * <p>By hand: reading {@code /proc}. It is two files and ten lines; a library for it brings native access of its own.
 */
package org.nios2s.harness.engine;
