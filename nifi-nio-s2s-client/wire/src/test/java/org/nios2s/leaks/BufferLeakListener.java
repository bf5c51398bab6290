// SPDX-License-Identifier: Apache-2.0
package org.nios2s.leaks;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Fails the run of the tests when a buffer was collected that nobody had released. Installed by a service file; lives on
 * the threads of the tests.
 */
public final class BufferLeakListener implements LauncherSessionListener {
    private static final int COLLECTIONS = 3;
    private static final int BUFFERS_PER_COLLECTION = 200;

    private final List<String> leaks = new CopyOnWriteArrayList<>();

    @Override
    public void launcherSessionOpened(final LauncherSession session) {
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new ReportingDetectors());
    }

    @Override
    public void launcherSessionClosed(final LauncherSession session) {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            // The detector looks for collected buffers when new ones are made.
            for (int made = 0; made < BUFFERS_PER_COLLECTION; made++) {
                final ByteBuf buffer = UnpooledByteBufAllocator.DEFAULT.directBuffer(1);
                buffer.release();
            }
        }
        if (!leaks.isEmpty()) {
            throw new AssertionError(leaks.size() + " buffers leaked; the first: " + leaks.get(0));
        }
    }

    /** Makes detectors that tell this listener. */
    private final class ReportingDetectors extends ResourceLeakDetectorFactory {
        @Override
        @Deprecated
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                final Class<T> resource, final int samplingInterval, final long maxActive) {
            return newResourceLeakDetector(resource, samplingInterval);
        }

        @Override
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                final Class<T> resource, final int samplingInterval) {
            return new ReportingDetector<>(resource, samplingInterval);
        }
    }

    /** Tells the listener of a leak besides logging it. */
    private final class ReportingDetector<T> extends ResourceLeakDetector<T> {
        ReportingDetector(final Class<T> resource, final int samplingInterval) {
            super(resource, samplingInterval);
        }

        @Override
        protected void reportTracedLeak(final String resourceType, final String records) {
            leaks.add(resourceType + records);
            super.reportTracedLeak(resourceType, records);
        }

        @Override
        protected void reportUntracedLeak(final String resourceType) {
            leaks.add(resourceType);
            super.reportUntracedLeak(resourceType);
        }
    }
}
