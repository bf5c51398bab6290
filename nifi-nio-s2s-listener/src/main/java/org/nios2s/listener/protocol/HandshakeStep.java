// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.nifi.remote.protocol.HandshakeProperties;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.wire.ModifiedUtf8;

/**
 * The peer names its id, its port and the properties of its transactions. Lives on the connection's IO worker; the
 * properties are checked on a thread for blocking tasks, since NiFi looks up ports and policies for it.
 */
final class HandshakeStep implements Step {
    /** Bound of the memory for names and values: far beyond what any client sends. */
    private static final int MAX_BYTES = 8 * 1024;

    /** Estimated heap overhead of one name or value. */
    private static final int TEXT_BYTES = 80;

    /** First version in which the peer sends a transit URI prefix. */
    private static final int TRANSIT_URI_VERSION = 3;

    private final PeerConnection connection;
    private final HandshakeProperties confirmed = new HandshakeProperties();
    /** The same kind of map as the stock listener's: its order decides which of several faults is answered. */
    private final Map<String, String> properties = new HashMap<>();

    private Part next = Part.COMMS_ID;
    private int propertiesLeft;
    private String propertyName;
    private int heldBytes;

    /** The part of the handshake that comes next. */
    private enum Part {
        COMMS_ID,
        TRANSIT_URI,
        PROPERTY_COUNT,
        PROPERTY_NAME,
        PROPERTY_VALUE,
        NOTHING
    }

    HandshakeStep(final PeerConnection connection) {
        this.connection = connection;
    }

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        while (next != Part.NOTHING) {
            if (!receiveNext(in)) {
                return this;
            }
        }
        return new ValidateHandshakeStep(connection, confirmed, properties, heldBytes);
    }

    private boolean receiveNext(final ByteBuf in) throws IOException {
        if (next == Part.PROPERTY_COUNT) {
            return receivePropertyCount(in);
        }
        final String text = ModifiedUtf8.readIfComplete(in, MAX_BYTES);
        if (text == null) {
            return false;
        }
        heldBytes += TEXT_BYTES + text.length();
        if (heldBytes > MAX_BYTES) {
            throw Kind.HANDSHAKE_REFUSED.fault("The handshake takes more than " + MAX_BYTES + " bytes of memory");
        }
        take(text);
        return true;
    }

    private boolean receivePropertyCount(final ByteBuf in) {
        if (in.readableBytes() < Integer.BYTES) {
            return false;
        }
        propertiesLeft = in.readInt();
        awaitNextProperty();
        return true;
    }

    private void awaitNextProperty() {
        // The stock listener takes a negative count for none.
        if (propertiesLeft > 0) {
            next = Part.PROPERTY_NAME;
        } else {
            next = Part.NOTHING;
        }
    }

    private void take(final String text) {
        switch (next) {
            case COMMS_ID -> {
                confirmed.setCommsIdentifier(text);
                next = afterCommsId();
            }
            case TRANSIT_URI -> {
                confirmed.setTransitUriPrefix(text.endsWith("/") ? text : text + "/");
                next = Part.PROPERTY_COUNT;
            }
            case PROPERTY_NAME -> {
                propertyName = text;
                next = Part.PROPERTY_VALUE;
            }
            default -> {
                properties.put(propertyName, text);
                propertiesLeft--;
                awaitNextProperty();
            }
        }
    }

    private Part afterCommsId() {
        if (connection.protocolVersion() >= TRANSIT_URI_VERSION) {
            return Part.TRANSIT_URI;
        }
        return Part.PROPERTY_COUNT;
    }

    @Override
    public int heldBytes() {
        return heldBytes;
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.HANDSHAKE;
    }
}
