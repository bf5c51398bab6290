/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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
