// SPDX-License-Identifier: Apache-2.0
/** NiFi's own client as it is meant to be used: one object and one thread for each logical client. */
package org.nios2s.harness.load.nifi;
