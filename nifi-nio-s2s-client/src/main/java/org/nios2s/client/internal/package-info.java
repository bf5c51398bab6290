// SPDX-License-Identifier: Apache-2.0
/**
 * The implementation of the API: ports, the batching sender and the receiver, on calls. Not for users: it may change with
 * every version.
 *
 * <p>A call ({@code call}) makes attempts ({@code transaction}) with one peer after the other; an attempt speaks on a
 * connection ({@code connection}) by an exchange. A site ({@code site}) knows the peers. Each of these knows only those
 * below it.
 */
package org.nios2s.client.internal;
