// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * The JVM's resolution of names, but for those under {@link #DOMAIN}: nobody answers for them until {@link #letGo}, and for those under
 * {@link #TWO_ADDRESSES}. Waits on
 * the thread that asks and, as the system's resolver, hears of no interrupt.
 */
public final class SilentNames extends InetAddressResolverProvider {
    public static final String DOMAIN = ".black-hole.invalid";
    /** Names under it have two addresses, and where the first one leads nobody listens. */
    public static final String TWO_ADDRESSES = ".two-addresses.invalid";

    /** Names under it lead to this machine. */
    public static final String LOOPBACK = ".loopback.invalid";

    private static volatile CountDownLatch answer = new CountDownLatch(1);

    /** Ends all questions that wait, without an answer. */
    public static void letGo() {
        final CountDownLatch before = answer;
        answer = new CountDownLatch(1);
        before.countDown();
    }

    @Override
    public String name() {
        return "silent for " + DOMAIN;
    }

    @Override
    public InetAddressResolver get(final Configuration configuration) {
        final InetAddressResolver builtin = configuration.builtinResolver();
        return new InetAddressResolver() {
            @Override
            public Stream<InetAddress> lookupByName(final String host, final LookupPolicy policy)
                    throws UnknownHostException {
                if (host.endsWith(LOOPBACK)) {
                    return Stream.of(InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1}));
                }
                if (host.endsWith(DOMAIN)) {
                    awaitUninterruptibly(answer);
                    throw new UnknownHostException(host);
                }
                if (host.endsWith(TWO_ADDRESSES)) {
                    return Stream.of(
                            InetAddress.getByAddress(host, new byte[] {127, 0, 0, 2}),
                            InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1}));
                }
                return builtin.lookupByName(host, policy);
            }

            @Override
            public String lookupByAddress(final byte[] address) throws UnknownHostException {
                return builtin.lookupByAddress(address);
            }
        };
    }

    private static void awaitUninterruptibly(final CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
