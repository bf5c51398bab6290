// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

/**
 * The source or destination of a connection, as the REST API takes it. Immutable; any thread.
 *
 * @param id      of the component
 * @param groupId of the group or remote process group that it is in
 * @param type    the API's word for what it is
 */
public record ConnectionEnd(String id, String groupId, String type) {}
