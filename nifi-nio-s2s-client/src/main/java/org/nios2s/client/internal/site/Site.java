// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.site;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.NewerJava;
import org.nios2s.client.internal.transaction.Engine;
import org.nios2s.client.internal.transaction.ListedPeer;
import org.nios2s.wire.LogText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The knowledge about a NiFi or its cluster, for all of its ports: the ids of ports from the REST API, the nodes from one of
 * them. Any thread; the asking blocks a thread for look-ups, one at a time.
 *
 * <p>What was learned last serves at once; when it is older than {@link #PEERS_AGE} it is learned again meanwhile. A
 * failure serves too, for {@link #ASK_AGAIN}: callers in that time get it without another question, and each state is
 * logged once. A question ends: what has learned nothing after {@link #TIMEOUTS_OF_ALL} time-outs is given up.
 */
public final class Site implements AutoCloseable {
    /** As NiFi's client: how long a list of peers is good. */
    private static final Duration PEERS_AGE = Duration.ofMinutes(1);
    /** The shortest time between two questions. */
    private static final Duration ASK_AGAIN = Duration.ofSeconds(2);

    /** The longest time for all that has to be asked, in time-outs of one answer. */
    private static final int TIMEOUTS_OF_ALL = 4;

    private static final int LONGEST_HOST = 255;
    private static final Pattern NOT_IN_HOST_NAMES = Pattern.compile("[\\p{C}\\p{Z}]");

    private static final Logger logger = LoggerFactory.getLogger(Site.class);

    /**
     * An answer, and the moment at which it came.
     *
     * @param details of the REST API
     * @param peers of the cluster
     * @param learnedNanos when, by {@link System#nanoTime}
     */
    public record Known(SiteDetails details, List<ListedPeer> peers, long learnedNanos) {
        boolean isOlderThan(final Duration age) {
            return System.nanoTime() - learnedNanos >= age.toNanos();
        }
    }

    private final Engine engine;
    private final SiteDetails.Source source;
    private final PortSettings settings;
    private final PeerStore store;

    private final Object lock = new Object();
    /** These are guarded by the lock. */
    private CompletableFuture<Known> asking;

    private Future<?> askingTask;
    private Known known;
    private IOException failure;
    private long askAgainNanos = System.nanoTime();
    private boolean closed;

    /** These two belong to the thread that asks; one that was given up may still do. */
    private volatile FailureReason toldFailure;

    private volatile String toldUnusable = "";

    public Site(
            final Engine engine, final SiteDetails.Source source, final PortSettings settings, final PeerStore store) {
        this.engine = engine;
        this.source = source;
        this.settings = settings;
        this.store = store;
    }

    public String name() {
        return source.name();
    }

    public PortSettings settings() {
        return settings;
    }

    /** Asks already, so that the first transaction finds its peer. */
    public void prepare() {
        current();
    }

    /** @return what is known, or the next answer; may be completed with an {@link IOException} */
    public CompletableFuture<Known> current() {
        synchronized (lock) {
            if (known != null) {
                final CompletableFuture<Known> last = CompletableFuture.completedFuture(known);
                if (isDue()) {
                    ask();
                }
                return last;
            }
            return failedLately() ? CompletableFuture.failedFuture(failure) : ask();
        }
    }

    /** Called with the lock held. */
    private boolean isDue() {
        return System.nanoTime() - askAgainNanos >= 0;
    }

    /** Called with the lock held. */
    private boolean failedLately() {
        return failure != null && !isDue() && !isAsking();
    }

    /** @return what is known now if that is quite new, or the next answer: something was looked for that is not in it */
    public CompletableFuture<Known> fresher(final Known than) {
        synchronized (lock) {
            if (known != than && known != null && !isAsking()) {
                return CompletableFuture.completedFuture(known);
            }
            if (failedLately()) {
                return CompletableFuture.failedFuture(failure);
            }
            return than.isOlderThan(ASK_AGAIN) ? ask() : CompletableFuture.completedFuture(than);
        }
    }

    /** @return what was learned last, or null */
    public Known last() {
        synchronized (lock) {
            return known;
        }
    }

    /** Something that was learned proved wrong: it is learned again soon, and serves until then. */
    public void invalidate() {
        synchronized (lock) {
            if (known != null) {
                final long soon = known.learnedNanos() + ASK_AGAIN.toNanos();
                askAgainNanos = soon - askAgainNanos < 0 ? soon : askAgainNanos;
            }
        }
    }

    private boolean isAsking() {
        return asking != null && !asking.isDone();
    }

    /** Learns what there is to know, unless somebody does already. Called with the lock held. */
    private CompletableFuture<Known> ask() {
        if (isAsking()) {
            return asking;
        }
        asking = new CompletableFuture<>();
        final CompletableFuture<Known> answer = asking;
        if (closed) {
            answer.completeExceptionally(closedFailure(null));
            return answer;
        }
        try {
            final Future<?> task = engine.lookups().submit(() -> learn(answer));
            askingTask = task;
            answer.copy().orTimeout(longestNanos(), TimeUnit.NANOSECONDS).whenComplete((learned, failed) -> {
                if (failed instanceof TimeoutException) {
                    NewerJava.blockingTasks().execute(() -> giveUp(answer, task));
                }
            });
        } catch (final RejectedExecutionException e) {
            answer.completeExceptionally(closedFailure(e));
        }
        return answer;
    }

    private long longestNanos() {
        final long each = TimeUnit.NANOSECONDS.convert(settings.timeout());
        return each > Long.MAX_VALUE / TIMEOUTS_OF_ALL ? Long.MAX_VALUE : each * TIMEOUTS_OF_ALL;
    }

    /** Whatever it hangs in: others must be able to ask again. */
    private void giveUp(final CompletableFuture<Known> answer, final Future<?> task) {
        failed(answer, new IOException("Nothing was learned within " + TIMEOUTS_OF_ALL + " time-outs"));
        task.cancel(true);
    }

    private TransactionException closedFailure(final Throwable cause) {
        return failure(FailureReason.CLIENT_CLOSED, "The client is closed", cause);
    }

    private TransactionException failure(final FailureReason reason, final String message, final Throwable cause) {
        return TransactionException.builder(TransactionStep.FIND_PEER, reason)
                .peer(name())
                .message(message)
                .cause(cause)
                .build();
    }

    private void learn(final CompletableFuture<Known> answer) {
        try {
            final Known learned = learn();
            synchronized (lock) {
                if (asking == answer && !closed) {
                    known = learned;
                    failure = null;
                    askAgainNanos = System.nanoTime() + PEERS_AGE.toNanos();
                }
            }
            if (toldFailure != null) {
                logger.info("The peers of {} are found again", name());
                toldFailure = null;
            }
            answer.complete(learned);
        } catch (final InterruptedException e) {
            answer.completeExceptionally(closedFailure(e));
        } catch (final Exception | Error e) {
            // Also a library that is missing, or a want of memory, must not leave anybody waiting.
            failed(answer, e instanceof final IOException known ? known : new IOException(e.toString(), e));
        }
    }

    private void failed(final CompletableFuture<Known> answer, final IOException told) {
        synchronized (lock) {
            if (asking != answer || answer.isDone()) {
                // It was given up, and others may have learned more.
                return;
            }
            failure = told;
            askAgainNanos = System.nanoTime() + ASK_AGAIN.toNanos();
        }
        tell(told);
        answer.completeExceptionally(told);
    }

    private void tell(final IOException told) {
        final FailureReason reason = reason(told);
        if (toldFailure == reason) {
            logger.debug("The peers of {} still can't be found", name(), told);
        } else {
            logger.warn("The peers of {} can't be found: {}", name(), LogText.of(String.valueOf(told.getMessage())));
            toldFailure = reason;
        }
    }

    private Known learn() throws IOException, InterruptedException {
        final SiteDetails details = source.ask();
        if (details.rawPort() == null) {
            throw failure(
                    FailureReason.REFUSED,
                    "This NiFi offers HTTP only; set nifi.remote.input.socket.port in its nifi.properties",
                    null);
        }
        // Without TLS no node could be asked; the choice of a peer then fails with the reason.
        final boolean mute = details.secure() && settings.tls() == null;
        final Set<ListedPeer> peers = mute ? Set.of() : askPeers(details);
        keep(peers);
        return new Known(details, usable(peers), System.nanoTime());
    }

    /** A node that does not take RAW Site-to-Site, or says so by mistake, is no reason to do without the others. */
    private List<ListedPeer> usable(final Set<ListedPeer> peers) throws IOException {
        final List<ListedPeer> usable = new ArrayList<>();
        final StringBuilder unusable = new StringBuilder();
        for (final ListedPeer peer : peers) {
            if (isUsable(peer)) {
                usable.add(peer);
            } else {
                unusable.append(' ').append(printable(peer));
            }
        }
        final String said = "names nodes that can't be connected to:" + LogText.of(unusable.toString())
                + "; are nifi.remote.route.raw, nifi.remote.input.host and nifi.remote.input.socket.port right there?";
        if (usable.isEmpty() && !unusable.isEmpty()) {
            throw new IOException("The peer list " + said);
        }
        if (!unusable.isEmpty() && !said.equals(toldUnusable)) {
            logger.warn("The peer list of {} {}", name(), said);
            toldUnusable = said;
        }
        return usable;
    }

    /** The name of a node stands in log lines and messages, so it has to be printable. */
    private static boolean isUsable(final ListedPeer peer) {
        return Endpoint.isTcpPort(peer.port()) && isHost(peer.host());
    }

    private static boolean isHost(final String name) {
        return !name.isEmpty()
                && name.length() <= LONGEST_HOST
                && !NOT_IN_HOST_NAMES.matcher(name).find();
    }

    private static String printable(final ListedPeer peer) {
        final String host = NOT_IN_HOST_NAMES.matcher(peer.host()).replaceAll("?");
        return host.substring(0, Math.min(host.length(), LONGEST_HOST)) + ":" + peer.port();
    }

    /** The node that answered over REST is asked first, then those that were known before: one of them knows all. */
    private Set<ListedPeer> askPeers(final SiteDetails details) throws IOException, InterruptedException {
        final Set<ListedPeer> candidates = new LinkedHashSet<>();
        candidates.add(new ListedPeer(details.host(), details.rawPort(), details.secure(), 0));
        candidates.addAll(formerPeers());
        final List<IOException> failures = new ArrayList<>();
        for (final ListedPeer candidate : candidates) {
            if (isUsable(candidate)) {
                try {
                    return askPeer(
                            settings.port(candidate, "", "", details.secure()).withBatchLimits(BatchLimits.none()));
                } catch (final IOException e) {
                    failures.add(e);
                }
            }
        }
        throw noneTells(failures);
    }

    /** If no node may tell later, the first one says why. */
    private static IOException noneTells(final List<IOException> failures) {
        final IOException told = !failures.isEmpty()
                        && failures.stream().noneMatch(each -> reason(each).isTransient())
                ? named(
                        "No node lists the peers of its cluster: "
                                + failures.get(0).getMessage(),
                        failures.get(0))
                : new IOException("No node lists the peers of its cluster: "
                        + failures.stream().map(Throwable::getMessage).toList());
        failures.stream().filter(each -> each != told.getCause()).forEach(told::addSuppressed);
        return told;
    }

    private Set<ListedPeer> askPeer(final Endpoint peer) throws IOException, InterruptedException {
        final Duration timeout = settings.timeout();
        try {
            return engine.peers(peer, CallOptions.DEFAULTS.withDeadline(timeout))
                    .get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
        } catch (final ExecutionException e) {
            throw named(e.getCause().getMessage(), e.getCause());
        } catch (final TimeoutException e) {
            throw new IOException(peer.peer() + " did not tell its peers in time", e);
        }
    }

    private Set<ListedPeer> formerPeers() {
        final Known last = last();
        if (last != null) {
            return new LinkedHashSet<>(last.peers());
        }
        try {
            return store.restore();
        } catch (final IOException | RuntimeException e) {
            // As at the first start: nothing was kept yet.
            logger.debug("No peers are kept", e);
            return Set.of();
        }
    }

    private void keep(final Set<ListedPeer> peers) {
        try {
            store.save(peers);
        } catch (final IOException | RuntimeException e) {
            logger.warn("The peers of {} can't be kept for the next start: {}", name(), e.toString());
        }
    }

    /** @return why nothing could be learned, as a user can act on it */
    public static FailureReason reason(final Throwable failure) {
        FailureReason found = FailureReason.NO_PEER;
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof EOFException) {
                // TLS says it so when the peer leaves: it may be about to restart.
                return FailureReason.NO_PEER;
            }
            if (each instanceof final TransactionException known
                    && !known.reason().isTransient()) {
                return known.reason();
            }
            if (each instanceof final RestException refusal && refusal.isUnauthorized()) {
                return FailureReason.UNAUTHORIZED;
            }
            if (each instanceof SSLException) {
                found = FailureReason.TLS_FAILED;
            }
        }
        return found;
    }

    static IOException named(final String message, final Throwable cause) {
        return new IOException(message, cause);
    }

    /** Stops to ask; transactions under way go on. */
    @Override
    public void close() {
        final CompletableFuture<Known> unanswered;
        synchronized (lock) {
            closed = true;
            known = null;
            failure = null;
            askAgainNanos = System.nanoTime();
            unanswered = asking;
            if (askingTask != null) {
                askingTask.cancel(true);
            }
        }
        if (unanswered != null) {
            unanswered.completeExceptionally(closedFailure(null));
        }
    }
}
