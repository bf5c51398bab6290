// SPDX-License-Identifier: Apache-2.0
/**
 * For tests of code that uses the client: begin with {@link org.nios2s.client.testing.InMemoryNifi}, which is a
 * {@link org.nios2s.client.SiteToSite} without a socket.
 */
@NullMarked
package org.nios2s.client.testing;

import org.jspecify.annotations.NullMarked;
