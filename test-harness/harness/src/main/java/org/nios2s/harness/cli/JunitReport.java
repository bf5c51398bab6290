// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.io.StringWriter;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.analysis.Gate;

/**
 * The exit code of an experiment as a JUnit report: a case for whether its end was reached, one for its runs, and one for each
 * threshold. Stateless, any thread.
 */
final class JunitReport {

    private JunitReport() {}

    static String of(
            final String suite, final List<String> incomplete, final List<String> flaws, final List<Gate> gates) {
        final StringWriter text = new StringWriter();
        try {
            final XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(text);
            xml.writeStartDocument();
            xml.writeStartElement("testsuite");
            xml.writeAttribute("name", "s2s-harness " + suite);
            testcase(xml, suite, "complete", incomplete);
            testcase(xml, suite, "no failure, and every packet once, as it was sent", flaws);
            for (final Gate gate : gates) {
                testcase(xml, suite, "not " + gate.threshold(), said(gate));
            }
            xml.writeEndElement();
            xml.writeEndDocument();
            return text.toString();
        } catch (final XMLStreamException e) {
            throw new HarnessException("A JUnit report that cannot be written as XML: " + e, e);
        }
    }

    private static List<String> said(final Gate gate) {
        return gate.checked() ? gate.crossed() : List.of("not checked: no run that it is about has this metric");
    }

    private static void testcase(
            final XMLStreamWriter xml, final String suite, final String name, final List<String> failures)
            throws XMLStreamException {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", suite);
        xml.writeAttribute("name", name);
        for (final String failure : failures) {
            xml.writeStartElement("failure");
            xml.writeAttribute("message", failure);
            xml.writeEndElement();
        }
        xml.writeEndElement();
    }
}
