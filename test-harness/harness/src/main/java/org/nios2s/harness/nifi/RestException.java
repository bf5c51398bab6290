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

import org.nios2s.harness.HarnessException;

/**
 * An answer of NiFi's REST API other than success.
 * Thrown on the thread that asked.
 */
public final class RestException extends HarnessException {

    private static final long serialVersionUID = 1L;

    private final int status;

    RestException(final String request, final int status, final String body) {
        super("NiFi answered %s with %d: %s".formatted(request, status, body));
        this.status = status;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }
}
