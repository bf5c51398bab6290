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
package org.nios2s.harness;

/**
 * A failure whose message says who failed, with what, and what to do; the command line prints it without a stack trace.
 * Thrown on any thread.
 */
public class HarnessException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Makes a failure from a message for the user. */
    public HarnessException(final String message) {
        super(message);
    }

    /** Makes a failure from a message for the user and what led to it. */
    public HarnessException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
