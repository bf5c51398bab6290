// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.Map;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.sink.PacketPattern;
import org.nios2s.harness.sink.Parcel;

/**
 * Makes the packets of a run, each with content and attributes of its own. Immutable, read by every client's thread.
 */
public record PacketFactory(String run, Shape shape) {

    public byte[] content(final int client, final int transaction, final int packet) {
        return PacketPattern.content(id(client, transaction, packet), size(client, transaction, packet));
    }

    public Map<String, String> attributes(final int client, final int transaction, final int packet) {
        return PacketPattern.attributes(id(client, transaction, packet), shape.attributes(), shape.attributeSize());
    }

    /** A packet as it was sent. */
    public Parcel parcel(final PacketId id) {
        final int client = id.client();
        return Parcel.of(
                attributes(client, id.transaction(), id.packet()), content(client, id.transaction(), id.packet()));
    }

    /** Content of all packets of a transaction. */
    public long bytes(final int client, final int transaction) {
        long bytes = 0;
        for (int packet = 0; packet < shape.packets(); packet++) {
            bytes += size(client, transaction, packet);
        }
        return bytes;
    }

    private int size(final int client, final int transaction, final int packet) {
        final int share = shape.size().shareOf(client, transaction, packet);
        return Math.toIntExact(shape.size().shares().get(share).bytes());
    }

    private String id(final int client, final int transaction, final int packet) {
        return new PacketId(run, client, transaction, packet).toString();
    }
}
