// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.nios2s.harness.scenario.MeasuredNifi;
import org.nios2s.harness.scenario.Target;

/**
 * Several NiFis that are measured side by side: opened one after the other, closed together.
 * For one thread.
 */
final class OpenNifis implements AutoCloseable {

    private final List<MeasuredNifi> open = new ArrayList<>();

    /** Opens all of them; if one can't be opened, those before it are closed. */
    static OpenNifis of(final List<Supplier<MeasuredNifi>> subjects) {
        final OpenNifis nifis = new OpenNifis();
        boolean complete = false;
        try {
            subjects.forEach(subject -> nifis.open.add(subject.get()));
            complete = true;
            return nifis;
        } finally {
            if (!complete) {
                nifis.close();
            }
        }
    }

    /** What to measure. */
    List<Target> targets() {
        return open.stream().map(MeasuredNifi::target).toList();
    }

    /** What is open. */
    List<MeasuredNifi> nifis() {
        return List.copyOf(open);
    }

    @Override
    public void close() {
        RuntimeException failure = null;
        for (final MeasuredNifi nifi : open.reversed()) {
            try {
                nifi.close();
            } catch (final RuntimeException e) {
                failure = e;
            }
        }
        open.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
