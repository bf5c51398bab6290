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
package org.nios2s.harness.load;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes names for runs, short and unlike those of any earlier run on the same NiFi. Any thread.
 */
public final class RunName {

    private static final AtomicInteger COUNTER = new AtomicInteger();

    private RunName() {}

    /**
     * A new name.
     *
     * @return letters and digits only
     */
    public static String next() {
        return "r" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) + "x" + COUNTER.incrementAndGet();
    }
}
