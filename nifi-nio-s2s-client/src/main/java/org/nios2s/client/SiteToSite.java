// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A NiFi, or a cluster of them, and what exchanges packets with its ports over RAW Site-to-Site: thousands of
 * transactions at a time on a handful of threads. One per NiFi and JVM is enough; any thread.
 *
 * <p>Every failure is a {@link TransactionException}, as the cause of what a future throws. A caller that completes a
 * returned future, such as by {@code cancel} or {@code orTimeout}, ends its transaction, on the peer too as far as the
 * protocol allows it. Futures complete on the completion executor, by default each on a virtual thread, before Java 21
 * on one of a growing pool, so that what depends on them may block; those of a transaction of a {@link BatchingSender} share
 * a thread. Made by {@link NioSiteToSite#builder}.
 */
public interface SiteToSite extends AutoCloseable {
    /**
     * A port that takes packets.
     *
     * @param nameOrId name or id of a public input port; an id where the RAW address is given, since only the REST API
     *     knows names
     * @return the port; whether NiFi has it is known with the first transaction
     */
    InputPort inputPort(String nameOrId);

    /**
     * A port that gives packets.
     *
     * @param nameOrId as for {@link #inputPort}
     * @return the port
     */
    OutputPort outputPort(String nameOrId);

    /**
     * Counts what the client holds.
     *
     * @return what there is at this moment, for gauges
     */
    ClientStatistics statistics();

    /** The same as {@link #close(Duration)} with the builder's {@link Builder#shutdownTimeout}. */
    @Override
    void close();

    /**
     * Takes no transaction any more, waits for those that were begun, whether they look for a peer, wait, run or pause
     * before another attempt, then ends what is left with {@link FailureReason#CLIENT_CLOSED} and every connection.
     * Batching senders and receivers are to be closed before. An interrupt ends the waiting, and on an IO worker there is
     * none. Within a handler of a batch it waits for all others, and NiFi keeps the handler's batch.
     *
     * @param max how long it waits; zero for not at all
     */
    void close(Duration max);

    /** How a NiFi is reached, and within which limits. Belongs to one thread until {@link #build}. */
    interface Builder {
        /**
         * Names a NiFi by its web address. Its REST API says the rest: ports, RAW address, TLS or not, the other nodes of its
         * cluster.
         *
         * @param url such as {@code https://nifi.example.org:8443/nifi}; more nodes of the cluster may follow
         * @return this
         * @throws IllegalArgumentException if one is no URL of HTTP or HTTPS
         */
        Builder url(String... url);

        /**
         * Names one NiFi by the address of its RAW Site-to-Site listener; the REST API is not asked.
         *
         * @param host name or address of the host
         * @param port {@code nifi.remote.input.socket.port}
         * @return this
         */
        Builder address(String host, int port);

        /**
         * Sets TLS by the JDK, for packets and for the REST API.
         *
         * @param context its key manager has the client certificate, its trust manager knows NiFi
         * @return this
         */
        Builder tls(SSLContext context);

        /**
         * Sets TLS for packets alone, such as BoringSSL.
         *
         * @param packets for packets; the REST API is asked with the {@link SSLContext} given before
         * @return this
         */
        Builder tls(TlsContext packets);

        /**
         * Sets whether NiFi's certificate has to name the host that is connected to. Default: true.
         *
         * @param verify false for packets to any host with a trusted certificate
         * @return this
         */
        Builder verifyHostName(boolean verify);

        /**
         * Sets a proxy. Default: what the JVM says ({@code -DsocksProxyHost} for packets, {@code -Dhttps.proxyHost} for the
         * REST API), otherwise none.
         *
         * @param proxy what packets travel through, and if it is an HTTP proxy also what the REST API is asked through
         * @return this
         */
        Builder proxy(PeerProxy proxy);

        /**
         * Sets whether packets are deflated on the wire. Default: false.
         *
         * @param deflate true for less bytes and more processor time
         * @return this
         */
        Builder compress(boolean deflate);

        /**
         * Sets where NiFi ends a batch that is pulled. Default: {@link BatchLimits#standard}.
         *
         * @param limits for all output ports
         * @return this
         */
        Builder batchLimits(BatchLimits limits);

        /**
         * Sets how long a transaction may wait for a connection, and its peer take nothing and say nothing. Default: 30 s.
         *
         * @param max more than 0
         * @return this
         */
        Builder idleTimeout(Duration max);

        /**
         * Sets how long NiFi shall wait for us within a transaction: for the source of a push, for the handler of a pull.
         * Default: the idle time-out for pushes, 5 min for pulls.
         *
         * @param max more than 0
         * @return this
         */
        Builder requestExpiration(Duration max);

        /**
         * Sets how long a transaction may take altogether, attempts and pauses included. Default: no limit.
         *
         * @param max null for no limit
         * @return this
         */
        Builder deadline(@Nullable Duration max);

        /**
         * Sets which failed transactions are tried again. Default: {@link RetryPolicy#standard}.
         *
         * @param policy for all ports
         * @return this
         */
        Builder retry(RetryPolicy policy);

        /**
         * Replaces the delivery time-out of the retry policy, whichever is given first. Default: 2 minutes.
         *
         * @param max in which attempts of a transaction may begin, see {@link RetryPolicy#withDeliveryTimeout}
         * @return this
         */
        Builder deliveryTimeout(Duration max);

        /**
         * Sets the number of IO workers; each serves thousands of connections. Default: 2.
         *
         * @param threads 1 to 8
         * @return this
         */
        Builder ioThreads(int threads);

        /**
         * Has event loops of Netty serve as IO workers, of its NIO or its epoll transport. Default: own ones.
         *
         * @param shared stays the caller's
         * @return this
         * @throws IllegalArgumentException if they are of another transport
         */
        Builder eventLoops(EventLoopGroup shared);

        /**
         * Sets how many connections there may be to one port of one node. Default: 100.
         *
         * @param max 1 or more
         * @return this
         */
        Builder maxConnections(int max);

        /**
         * Sets how many transactions of one port may wait, for a peer, a connection or another attempt, beside those that have a
         * connection; one more fails with {@link FailureReason#TOO_MANY_PENDING}. Default: 10,000.
         *
         * @param max 0 or more
         * @return this
         */
        Builder maxPending(int max);

        /**
         * Sets how much memory the packets of one port may take that were given to it and are not over: their attributes, and
         * contents that are given as bytes. When it is used up, one more transaction fails with
         * {@link FailureReason#TOO_MANY_PENDING}. So a packet of any size is taken while nothing else is pending. Batching senders
         * have a limit of their own, {@link BatchingOptions#withMaxPending}. Default: a quarter of the largest heap.
         *
         * @param max bytes, 1 or more
         * @return this
         */
        Builder maxPendingBytes(long max);

        /**
         * Sets the time from the resolution of the name to the end of the handshake. Default: 10 s.
         *
         * @param max more than 0
         * @return this
         */
        Builder connectTimeout(Duration max);

        /**
         * Sets how long an unused connection is kept. Default: 30 s, after which NiFi would close it.
         *
         * @param max more than 0
         * @return this
         */
        Builder maxIdleTime(Duration max);

        /**
         * Sets the pauses after a connection could not be opened, doubled with every further failure.
         *
         * @param initial default: 100 ms
         * @param max default: 10 s
         * @return this
         */
        Builder reconnectBackoff(Duration initial, Duration max);

        /**
         * Sets how long {@link SiteToSite#close} waits for transactions under way. Default: 30 s.
         *
         * @param max 0 or more
         * @return this
         */
        Builder shutdownTimeout(Duration max);

        /**
         * Sets where futures are completed. Default: each on a virtual thread, but for those of a {@link BatchingSender}.
         *
         * @param executor {@code Runnable::run} saves a thread's switch where nothing that depends on futures blocks
         * @return this
         */
        Builder completionExecutor(Executor executor);

        /**
         * Sets the observer of connections, transactions, failures and retries.
         *
         * @param listener for metrics and alarms
         * @return this
         */
        Builder observer(ClientObserver listener);

        /**
         * Sets what adds attributes to packets at each attempt to send them. Default: nothing.
         *
         * @param added must not block
         * @return this
         */
        Builder attemptAttributes(AttemptAttributes added);

        /**
         * Opens nothing yet: connections come with transactions.
         *
         * @return to be closed
         */
        SiteToSite build();
    }
}
