// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.metrics;

import java.util.function.Supplier;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;

/**
 * What an operator may have a listener do, over JMX. Immutable; runs on the thread of the one who calls.
 *
 * @param description for the operator
 * @param action answers with a sentence about how things are then
 */
public record Operation(String description, Supplier<String> action) {
    MBeanOperationInfo infoAs(final String name) {
        return new MBeanOperationInfo(
                name, description, new MBeanParameterInfo[0], String.class.getName(), MBeanOperationInfo.ACTION);
    }
}
