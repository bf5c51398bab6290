// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

/**
 * What a {@link SharedResource.Part} needs besides an amount that is free. Called on any thread, under the resource's lock: must not
 * block.
 */
public interface Condition {
    /** For a part whose maximum says all. */
    Condition NONE = (amount, size) -> true;

    /**
     * @param amount that is held at the part
     * @param size of all that is held there
     */
    boolean hasRoom(long amount, long size);

    /** @return whether a waiter would get on if what others hold came back */
    default boolean isReachable() {
        return hasRoom(0, 0);
    }
}
