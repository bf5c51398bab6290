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
 * The parts of a push transaction that are timed apart. A constant, used on every thread.
 */
public enum Phase {
    /** From the start to a connection that is ready for the transaction; includes connecting when there is none. */
    CREATE,
    /** From there until the packets have been handed to the socket. */
    SEND,
    /** From there until the server has confirmed the checksum. */
    CONFIRM,
    /** From there until the server has said that the transaction is finished, hence committed. */
    COMPLETE,
    /** From the start to the end. */
    TOTAL,
    /** From the start that the pace intended to the end: what a caller would have waited. Paced runs only. */
    RESPONSE
}
