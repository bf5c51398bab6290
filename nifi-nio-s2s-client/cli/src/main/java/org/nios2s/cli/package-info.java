// SPDX-License-Identifier: Apache-2.0
/** The command {@code s2s}: sends files to an input port of NiFi, and receives files from an output port. */
package org.nios2s.cli;
