/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** What tests wait for and expect. Lives on the test's thread. */
final class Outcomes {
    /** What no test runs into, however busy the machine is. */
    static final Duration NEVER = Duration.ofMinutes(2);

    private Outcomes() {}

    static <T> T await(final CompletableFuture<T> future) throws Exception {
        return future.get(NEVER.toSeconds(), TimeUnit.SECONDS);
    }

    static TransactionException failureOf(final CompletableFuture<?> future) {
        final ExecutionException failure =
                assertThrows(ExecutionException.class, () -> future.get(NEVER.toSeconds(), TimeUnit.SECONDS));
        return assertInstanceOf(TransactionException.class, failure.getCause());
    }

    static TransactionException assertFails(
            final CompletableFuture<?> future, final TransactionStep step, final FailureReason reason) {
        final TransactionException failure = failureOf(future);
        assertEquals(step + " " + reason, failure.step() + " " + failure.reason(), failure::getMessage);
        return failure;
    }

    static Packet packet(final String content) {
        return Packet.of(Map.of("filename", content + ".txt"), content.getBytes());
    }
}
