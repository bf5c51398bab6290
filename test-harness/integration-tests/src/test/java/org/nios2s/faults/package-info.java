// SPDX-License-Identifier: Apache-2.0
/** Hostile peers and faults, against a real NiFi beside honest clients. */
package org.nios2s.faults;
