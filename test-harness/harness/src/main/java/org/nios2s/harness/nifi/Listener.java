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
package org.nios2s.harness.nifi;

/**
 * Which Site-to-Site listener a NiFi serves its RAW port with.
 * Immutable, for any thread.
 */
public enum Listener {
    /** The non-blocking listener: our NAR in {@code lib/} and the property that activates it. */
    NIO,
    /** What NiFi comes with: neither the NAR nor the property. */
    STOCK
}
