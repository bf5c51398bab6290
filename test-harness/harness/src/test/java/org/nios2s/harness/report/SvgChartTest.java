// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.Samples;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** A chart for a document. Runs on the test's thread. */
class SvgChartTest {

    private static final SvgChart.Words NONE = new SvgChart.Words("", "", Map.of());
    private static final List<RunResult> RUNS = List.of(
            Samples.run("stock", 1, 1_000),
            Samples.run("nio", 1, 4_000),
            Samples.run("stock", 2, 2_000),
            Samples.run("nio", 2, 4_000));

    @Test
    void everyBarSaysItsMedianWithLeastAndMost() throws Exception {
        final Document chart = chart(List.of(Metric.RATE), NONE);

        assertEquals(List.of("tx/s"), texts(chart, "title"));
        assertEquals(List.of("stock", "nio"), texts(chart, "label"));
        assertEquals(List.of("1,500 (1,000 – 2,000)", "4,000"), texts(chart, "value"));
    }

    @Test
    void barsOfOneUnitHaveOneScaleThatBeginsAtZero() throws Exception {
        final List<Double> lengths = elements(chart(List.of(Metric.P50, Metric.P99), NONE), "rect").stream()
                .filter(bar -> bar.getAttribute("class").startsWith("c"))
                .map(bar -> Double.valueOf(bar.getAttribute("width")))
                .toList();

        assertEquals(4, lengths.size());
        assertEquals(4.0 / 9, lengths.getFirst() / lengths.getLast(), 0.01, "p50 is 4 ms, p99 is 9 ms");
    }

    @Test
    void namesAndTitleAreTheAuthorsAndEscaped() throws Exception {
        final SvgChart.Words words = new SvgChart.Words("<waiting>", "1 & 2", Map.of("stock", "NiFi's listener"));

        final Document chart = chart(List.of(Metric.RATE), words);

        assertEquals(List.of("<waiting>"), texts(chart, "title"));
        assertEquals(List.of("1 & 2"), texts(chart, "note"));
        assertEquals(List.of("NiFi's listener", "nio"), texts(chart, "label"));
    }

    @Test
    void itLoadsNothingFollowsTheSchemeOfItsReaderAndSaysInWordsWhatItShows() throws Exception {
        final String svg = SvgChart.of(RUNS, List.of(Metric.RATE), "", NONE);

        assertTrue(svg.contains("@media (prefers-color-scheme: dark)"), svg);
        assertEquals(-1, svg.replace("xmlns=\"http://www.w3.org/2000/svg\"", "").indexOf("http"), "loads nothing");
        assertEquals(
                "tx/s, stock: 1,500 (1,000 – 2,000). tx/s, nio: 4,000.",
                parsed(svg).getElementsByTagName("desc").item(0).getTextContent());
    }

    @Test
    void aRowThatThereIsNotIsRefusedWithThoseThatThereAre() {
        final IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class, () -> SvgChart.of(RUNS, List.of(Metric.RATE), "pull", NONE));

        assertEquals("No run has tx/s in a row with 'pull'; the rows are: ''", refused.getMessage());
    }

    private static Document chart(final List<Metric> metrics, final SvgChart.Words words) throws Exception {
        return parsed(SvgChart.of(RUNS, metrics, "", words));
    }

    private static Document parsed(final String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<String> texts(final Document chart, final String kind) {
        return elements(chart, "text").stream()
                .filter(text -> text.getAttribute("class").equals(kind))
                .map(Element::getTextContent)
                .toList();
    }

    private static List<Element> elements(final Document chart, final String name) {
        final NodeList found = chart.getElementsByTagName(name);
        return IntStream.range(0, found.getLength())
                .mapToObj(found::item)
                .map(Element.class::cast)
                .toList();
    }
}
