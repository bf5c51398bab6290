// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NullListener;

/**
 * A listener without NiFi, for a scenario that measures the engine alone. For one thread at a time.
 */
public final class NullNifi implements MeasuredNifi {

    /** What a target's name has behind the listener's. */
    public static final String SUFFIX = ", null sink";

    private final NullListener listener;
    private final Target target;

    private NullNifi(final NullListener listener, final Target target) {
        this.listener = listener;
        this.target = target;
    }

    /** Starts one. */
    public static NullNifi start(
            final Listener kind,
            final int tasks,
            final Map<String, String> properties,
            final List<String> jvmArguments) {
        final NullListener started = NullListener.start(kind, tasks, properties, jvmArguments);
        return new NullNifi(
                started,
                new Target(
                        kind.name().toLowerCase(Locale.ROOT) + SUFFIX,
                        new TargetAddress(NullListener.HOST, started.port(), NullListener.PORT_ID, null),
                        started.process(),
                        null,
                        null));
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public void close() {
        listener.close();
    }
}
