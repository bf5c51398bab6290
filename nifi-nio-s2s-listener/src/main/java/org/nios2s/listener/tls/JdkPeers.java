// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import java.net.InetAddress;
import java.nio.channels.ClosedChannelException;
import java.security.PublicKey;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.nios2s.listener.limits.PeerKey;
import org.nios2s.listener.time.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The peers that the JDK serves in place of BoringSSL: they came to grief with BoringSSL by something that it can't do. Thread-safe.
 *
 * <p>What a peer needs shows only behind its first message, by which the implementation has to be chosen. So a first connection
 * fails, and the next one from its address is the JDK's. If a trusted peer is there, the address stays with the JDK. If that peer
 * shows a certificate that BoringSSL does not take, there are such peers: from then on the JDK serves all, and none of the others
 * fails first. A stranger gets no further than to have its own address served more slowly.
 */
final class JdkPeers {
    /** The words of an error of BoringSSL, or of its peer, where the other's certificate, suites, groups or new keys are the cause. */
    private static final Pattern LACKS = Pattern.compile("PEER_DID_NOT_RETURN_A_CERTIFICATE|NO_SHARED_(CIPHER|GROUP)"
            + "|NO_COMMON_SIGNATURE_ALGORITHMS|WRONG_SIGNATURE_TYPE|ALERT_(HANDSHAKE_FAILURE|INTERNAL_ERROR)");

    /** BoringSSL takes 32 new keys of a peer that sends no data, however much it receives. */
    private static final String TOO_MANY_KEYS = "TOO_MANY_KEY_UPDATES";

    /** Addresses that are remembered; the one that was not needed for longest is forgotten. */
    private static final int MAX_ADDRESSES = 4_096;

    /** A scan looks like a peer in need, and may come from an address that others have, too. */
    private static final long SUSPICION_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** A trusted peer that needs the JDK once will need it again. */
    private static final long NEED_NANOS = TimeUnit.DAYS.toNanos(365);

    private static final Logger logger = LoggerFactory.getLogger(JdkPeers.class);

    private final NanoClock clock;
    private final Map<PeerKey, Memory> memories = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(final Map.Entry<PeerKey, Memory> eldest) {
            return size() > MAX_ADDRESSES;
        }
    };
    private volatile boolean everybody;

    private enum Need {
        /** Its last handshake was lost, which happens to any peer. */
        POSSIBLE,
        /** The JDK serves it. */
        SHOWN
    }

    private record Memory(Need need, long untilNanos) {}

    JdkPeers(final NanoClock clock) {
        this.clock = clock;
    }

    /** @return whether the JDK serves the next connection from an address */
    boolean contains(final InetAddress address) {
        if (everybody) {
            return true;
        }
        synchronized (memories) {
            return need(PeerKey.of(address)) == Need.SHOWN;
        }
    }

    /** @return what is remembered, or null; under the lock */
    private Need need(final PeerKey peer) {
        final Memory memory = memories.get(peer);
        if (memory == null) {
            return null;
        }
        if (memory.untilNanos - clock.nanoTime() > 0) {
            return memory.need;
        }
        memories.remove(peer);
        return null;
    }

    /**
     * A handshake has failed.
     *
     * @return whether the JDK serves the next connection from the address
     */
    boolean handshakeFailed(final InetAddress address, final Throwable failure) {
        if (failure instanceof ClosedChannelException) {
            return handshakeLost(address);
        }
        if (!LACKS.matcher(String.valueOf(failure.getMessage())).find() && !isForSignature(failure)) {
            return false;
        }
        remember(address, SUSPICION_NANOS);
        return true;
    }

    /**
     * Java verifies the peer's certificates, by the signatures that Netty's engine says it supports. Those by Ed25519, Ed448 and others
     * are not among them.
     */
    private static boolean isForSignature(final Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof final CertPathValidatorException invalid
                    && invalid.getReason() == BasicReason.ALGORITHM_CONSTRAINED) {
                return true;
            }
        }
        return false;
    }

    /**
     * The peer has left. Java's, with TLS 1.2 and a key that BoringSSL does not take, often leaves before its alert is read. A peer
     * that is ended or gives up looks the same, but rarely twice in a row.
     */
    private boolean handshakeLost(final InetAddress address) {
        synchronized (memories) {
            if (need(PeerKey.of(address)) == null) {
                memories.put(PeerKey.of(address), new Memory(Need.POSSIBLE, clock.nanoTime() + SUSPICION_NANOS));
                return false;
            }
        }
        remember(address, SUSPICION_NANOS);
        return true;
    }

    /** BoringSSL has served a peer. */
    void handshakeSucceeded(final InetAddress address) {
        synchronized (memories) {
            if (need(PeerKey.of(address)) == Need.POSSIBLE) {
                memories.remove(PeerKey.of(address));
            }
        }
    }

    /** @return as {@link #handshakeFailed}, for a connection that has failed in TLS behind its handshake */
    boolean failedBehindHandshake(final InetAddress address, final SSLException failure) {
        if (!String.valueOf(failure.getMessage()).contains(TOO_MANY_KEYS)) {
            return false;
        }
        remember(address, NEED_NANOS);
        return true;
    }

    private void remember(final InetAddress address, final long nanos) {
        final Memory next = new Memory(Need.SHOWN, clock.nanoTime() + nanos);
        synchronized (memories) {
            memories.merge(PeerKey.of(address), next, (former, later) -> {
                final boolean outlasts = former.need == Need.SHOWN && former.untilNanos - later.untilNanos > 0;
                return outlasts ? former : later;
            });
        }
    }

    /** The JDK has accepted a trusted peer with this key. */
    void accepted(final InetAddress address, final PublicKey key) {
        if (contains(address)) {
            remember(address, NEED_NANOS);
        }
        final String kind = PeerKeys.unknownToBoringSsl(key);
        if (kind == null || everybody) {
            return;
        }
        everybody = true;
        logger.warn(
                "A peer's certificate has a key of the kind {}, with which OpenSSL refuses it: from now on the JDK serves TLS, which"
                        + " takes more processor time. Set nifi.remote.input.nio.tls.provider=jdk, so that no first connection is refused"
                        + " after a restart",
                kind);
    }
}
