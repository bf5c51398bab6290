// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.metrics;

import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.ReflectionException;

/**
 * A JMX bean of figures by name, and of operations. Nothing can be set. Immutable; runs on the threads of its readers and callers.
 *
 * @param figures numbers or texts, quick to get, from any thread, and each always of the same type
 * @param operations without parameters, by name
 */
record MetricsBean(Map<String, ? extends Supplier<?>> figures, Map<String, Operation> operations)
        implements DynamicMBean {
    @Override
    public MBeanInfo getMBeanInfo() {
        final MBeanAttributeInfo[] attributes = figures.entrySet().stream()
                .map(figure -> infoOf(figure.getKey(), figure.getValue().get()))
                .toArray(MBeanAttributeInfo[]::new);
        final MBeanOperationInfo[] callable = operations.entrySet().stream()
                .map(operation -> operation.getValue().infoAs(operation.getKey()))
                .toArray(MBeanOperationInfo[]::new);
        return new MBeanInfo(getClass().getName(), "RAW Site-to-Site", attributes, null, callable, null);
    }

    private static MBeanAttributeInfo infoOf(final String name, final Object value) {
        return new MBeanAttributeInfo(name, value.getClass().getName(), name, true, false, false);
    }

    @Override
    public Object getAttribute(final String name) throws AttributeNotFoundException {
        if (!figures.containsKey(name)) {
            throw new AttributeNotFoundException(name);
        }
        return figures.get(name).get();
    }

    @Override
    public AttributeList getAttributes(final String[] names) {
        return new AttributeList(Stream.of(names)
                .filter(figures::containsKey)
                .map(name -> new Attribute(name, figures.get(name).get()))
                .toList());
    }

    @Override
    public void setAttribute(final Attribute attribute) throws AttributeNotFoundException {
        throw new AttributeNotFoundException(attribute.getName() + " can only be read");
    }

    @Override
    public AttributeList setAttributes(final AttributeList attributes) {
        return new AttributeList();
    }

    @Override
    public Object invoke(final String action, final Object[] parameters, final String[] signature)
            throws ReflectionException {
        final Operation operation = operations.get(action);
        if (operation == null || parameters != null && parameters.length > 0) {
            throw new ReflectionException(new NoSuchMethodException(action));
        }
        return operation.action().get();
    }
}
