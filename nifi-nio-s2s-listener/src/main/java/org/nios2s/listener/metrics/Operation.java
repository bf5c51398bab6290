// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.metrics;

import java.util.function.Supplier;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;

/**
 * An operation that an operator may call over JMX. Immutable; runs on the caller's thread.
 *
 * @param description for the operator
 * @param action returns a sentence about the state that it has reached
 */
public record Operation(String description, Supplier<String> action) {
    MBeanOperationInfo infoAs(final String name) {
        return new MBeanOperationInfo(
                name, description, new MBeanParameterInfo[0], String.class.getName(), MBeanOperationInfo.ACTION);
    }
}
