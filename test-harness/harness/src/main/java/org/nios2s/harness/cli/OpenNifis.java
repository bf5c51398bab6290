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
