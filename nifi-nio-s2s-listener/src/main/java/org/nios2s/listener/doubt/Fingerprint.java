// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

/**
 * What a packet is recognized by when it comes again: the identifier that its sender gave it, and the SHA-256 of all of it.
 * Immutable; any thread.
 *
 * <p>The identifier alone would not do: there are senders that give every packet the same.
 *
 * @param uuid the sender's identifier of the packet
 * @param hash1 the first quarter of the hash of attributes and content
 * @param hash2 the second one
 * @param hash3 the third one
 * @param hash4 the last one
 */
public record Fingerprint(String uuid, long hash1, long hash2, long hash3, long hash4) {}
