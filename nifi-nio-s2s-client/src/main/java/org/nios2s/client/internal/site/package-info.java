// SPDX-License-Identifier: Apache-2.0
/**
 * What a NiFi says of itself: its ports over REST, its nodes over RAW Site-to-Site.
 */
package org.nios2s.client.internal.site;
