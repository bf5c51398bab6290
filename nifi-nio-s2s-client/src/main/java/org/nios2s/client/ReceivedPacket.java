// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.InputStream;
import java.util.Map;

/**
 * A packet that was pulled. Belongs to the thread that receives it, until the next one.
 *
 * @param attributes names and values
 * @param size bytes of content
 * @param content exactly {@code size} bytes, read from the network as they are asked for; what is left unread is skipped
 */
public record ReceivedPacket(Map<String, String> attributes, long size, InputStream content) {}
