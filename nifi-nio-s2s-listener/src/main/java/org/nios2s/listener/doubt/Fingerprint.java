// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

/**
 * What a packet is recognized by when it comes again. Immutable; any thread.
 *
 * <p>The identifier alone would not do: there are senders that give every packet the same. Of two packets of one identifier and one
 * length the checksums are alike once in 2<sup>64</sup>,
 * unless somebody has made them so: a sender can find packets that collide. It harms itself alone, since nobody else's packets are
 * compared with its own.
 *
 * @param uuid the sender's identifier of the packet
 * @param length of its content, in bytes
 * @param checksum of its attributes and content
 */
public record Fingerprint(String uuid, long length, long checksum) {}
