// SPDX-License-Identifier: Apache-2.0
/** What makes a NiFi of the harness secure: its certificate authority, its key stores and its access policies. */
package org.nios2s.harness.nifi.security;
