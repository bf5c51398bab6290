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
package org.nios2s.harness.cli;

import java.util.Locale;

/**
 * Puts figures into words, the same way whatever the user's language is.
 * Stateless, for any thread.
 */
final class Words {

    private Words() {}

    /** A sentence, with its values as {@link String#format} writes them. */
    static String of(final String format, final Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** A name without what the name of a file should not have. */
    static String fileName(final String name) {
        return name.replaceAll("[^\\w.-]+", "_");
    }
}
