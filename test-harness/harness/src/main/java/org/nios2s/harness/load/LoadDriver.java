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

/**
 * Drives the load of one run, once. {@link #drive} occupies the caller's thread until the run has ended; the other
 * methods may be called on any thread meanwhile.
 */
public interface LoadDriver {

    /**
     * Runs all clients to their end.
     *
     * @return what they did
     * @throws InterruptedException when the calling thread was interrupted; the clients have been stopped then
     */
    LoadOutcome drive() throws InterruptedException;

    /** Ends the run early: transactions in flight are given up and every connection is closed. */
    void stop();

    /**
     * Counts and times so far.
     *
     * @return the run's meter
     */
    LoadMeter meter();
}
