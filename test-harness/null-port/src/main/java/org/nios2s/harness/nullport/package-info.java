// SPDX-License-Identifier: Apache-2.0
/** Either listener in a process of its own, in front of a port that keeps nothing: the engine without the repositories. */
package org.nios2s.harness.nullport;
