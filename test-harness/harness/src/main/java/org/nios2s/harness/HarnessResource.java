// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** A text that the harness's jar, or one beside it, has beside a class. Stateless; any thread. */
public final class HarnessResource {

    private HarnessResource() {}

    public static String text(final Class<?> beside, final String name) {
        try (InputStream resource = beside.getResourceAsStream(name)) {
            if (resource == null) {
                throw new IllegalStateException(name + " is missing on the class path");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new IllegalStateException("Cannot read " + name + " from the class path", e);
        }
    }
}
