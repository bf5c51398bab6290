// SPDX-License-Identifier: Apache-2.0
/**
 * A NiFi's ports, from its REST API, and its nodes, over RAW Site-to-Site.
 */
package org.nios2s.client.internal.site;
