// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

/**
 * A port of another NiFi as a remote process group shows it.
 * Immutable, for any thread.
 *
 * @param group id of the remote process group
 * @param id its id in that group
 * @param input whether data is sent to it; otherwise data is pulled from it
 */
public record RemotePort(String group, String id, boolean input) {

    String connectableType() {
        return input ? "REMOTE_INPUT_PORT" : "REMOTE_OUTPUT_PORT";
    }
}
