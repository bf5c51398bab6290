// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.ExperimentResult.Conclusion;
import org.nios2s.harness.result.ExperimentResult.Setup;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.Samples;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** The page is well-formed, complete in itself, and shows what the result says. Runs on the test's thread. */
class HtmlReportTest {

    private static final int MAX_BYTES = 1_500_000;
    private static final Pattern CODE = Pattern.compile("(?s)(<(script|style)[^>]*>)(.*?)(</\\2>)");

    private final String page = HtmlReport.of(Samples.comparison());

    @Test
    void thePageIsWellFormedAndNothingInTheDataEndsItsScripts() throws Exception {
        final Document document = document();

        assertEquals(3, document.getElementsByTagName("script").getLength());
        assertTrue(
                document.getElementsByTagName("h1").item(0).getTextContent().contains("nio: 3 transactions failed."));
        assertTrue(page.getBytes(StandardCharsets.UTF_8).length < MAX_BYTES);
    }

    @Test
    void whatWentWrongTakesThePlaceOfThePraise() throws Exception {
        final ExperimentResult praised = Samples.flawless();
        final String praise = praised.conclusion().sentence();
        assertEquals(praise, HtmlReport.headline(praised));

        final List<RunResult> runs = new ArrayList<>(praised.runs());
        runs.set(1, Samples.withLost(25, runs.get(1)));
        assertEquals("nio: of 50 acknowledged packets 25 were lost.", HtmlReport.headline(Samples.with(runs, praised)));
        final String shown = HtmlReport.of(Samples.with(runs, praised));
        assertTrue(shown.contains("<h1 class=\"trouble\">nio: of 50 acknowledged packets 25 were lost.</h1>"));
        assertFalse(shown.contains("class=\"headline\""));

        runs.set(0, Samples.withFailures(7, praised.runs().getFirst()));
        runs.set(1, praised.runs().get(1));
        assertEquals(
                praise, HtmlReport.headline(Samples.with(runs, praised)), "what others are compared with may fail");
    }

    @Test
    void flowFilesThatAreStillQueuedTakeThePlaceOfThePraise() {
        final ExperimentResult praised = Samples.flawless();
        final List<RunResult> runs = new ArrayList<>(praised.runs());
        runs.set(1, Samples.unsettled(runs.get(1)));
        assertEquals(
                "nio: FlowFiles were still queued or still arriving after 1 of 1 runs.",
                HtmlReport.headline(Samples.with(runs, praised)));

        runs.set(1, Samples.but("interrupted", runs.get(1)));
        assertEquals(
                praised.conclusion().sentence(),
                HtmlReport.headline(Samples.with(runs, praised)),
                "of an interrupted run nobody waited for the count");
    }

    @Test
    void nothingIsLoaded() throws Exception {
        final Document document = document();
        for (final String attribute : List.of("src", "srcset", "data", "poster")) {
            assertEquals(List.of(), elementsWith(document, attribute));
        }
        // A link loads nothing until it is followed; each names a file beside the page.
        assertEquals(Set.of("a"), Set.copyOf(elementsWith(document, "href")));
        assertFalse(Pattern.compile("href=\"[^\"]*:").matcher(page).find());
        assertFalse(
                document.getElementsByTagName("style").item(0).getTextContent().contains("url("));
        assertFalse(Pattern.compile("@import|url\\(").matcher(part("style")).find());
    }

    @Test
    void everyChartHasItsAxesInUnitsAndAPlaceOnThePage() throws Exception {
        final JsonNode charts = charts();
        final List<String> titles = StreamSupport.stream(charts.spliterator(), false)
                .map(chart -> chart.get("title").asText())
                .toList();
        assertEquals(
                List.of(
                        "Rate by connections",
                        "Transactions",
                        "Latency percentiles",
                        "Processor time of the server",
                        "Processor time of the load generator",
                        "Memory of the server",
                        "Threads of the server",
                        "Failures by cause"),
                titles);
        for (final JsonNode chart : charts) {
            assertFalse(chart.get("x").get("unit").asText().isBlank());
            assertFalse(chart.get("y").get("unit").asText().isBlank());
        }
        assertEquals(titles.size(), document().getElementsByTagName("figure").getLength());
    }

    @Test
    void thePageSaysHowToMeasureItAgainAndWhereItsDataIs() throws Exception {
        final String text = document().getDocumentElement().getTextContent();

        assertTrue(text.contains("s2s-harness measure compare"), text);
        assertTrue(page.contains("href=\"result.json\""));
        assertTrue(page.contains("href=\"stock_%231/latencies.hlog\""));
        assertTrue(text.indexOf("What to beware of") > text.indexOf("Every run"), "warnings stand at the foot");
        assertTrue(text.indexOf("The machine was noisy.") > text.indexOf("What to beware of"));
    }

    @Test
    void rowsStandBelowTheirSituation() throws Exception {
        final DataTable table = new DataTable(
                "t",
                null,
                List.of(Column.of("what"), Column.of("metric"), Column.of("nio")),
                List.of(List.of("few", "tx/s", "1"), List.of("few", "p50", "2"), List.of("many", "tx/s", "3")));
        final ExperimentResult one = Samples.comparison();

        final String shown = HtmlReport.of(new ExperimentResult(
                "x",
                one.started(),
                new Setup(one.setup().machine(), one.setup().config(), null),
                one.completion(),
                new Conclusion("A sentence.", "v", List.of(), List.of()),
                List.of(table),
                List.of(),
                one.runs(),
                List.of()));

        assertEquals(2, shown.split("class=\"group\"", -1).length - 1);
        assertFalse(shown.contains("data-label=\"what\""));
        assertFalse(shown.contains("Measure it again"));
    }

    @Test
    void mediansHaveASpreadThatThePageExplains() {
        final String explanation = "thin lines: least and most";
        assertFalse(pageWith(new Chart.Point("stock", 1.0)).contains(explanation));
        assertTrue(pageWith(new Chart.Point("stock", 2.0, 1.0, 3.0)).contains(explanation));
    }

    private static String pageWith(final Chart.Point point) {
        final ExperimentResult one = Samples.comparison();
        final Chart chart = new Chart(
                "tx/s",
                Chart.Kind.BAR,
                new Chart.Axis("measured", "measured"),
                new Chart.Axis("tx/s", "tx/s"),
                List.of(new Chart.Series("stock", List.of(point))));
        return HtmlReport.of(new ExperimentResult(
                "x",
                one.started(),
                one.setup(),
                one.completion(),
                one.conclusion(),
                List.of(),
                List.of(chart),
                one.runs(),
                List.of()));
    }

    @Test
    void causesOfFailuresAreDataAndNotMarkup() throws IOException {
        final JsonNode charts = charts();

        final JsonNode failures = charts.get(charts.size() - 1);
        assertEquals(Samples.CAUSE, failures.get("series").get(0).get("name").asText());
        assertFalse(page.contains(Samples.CAUSE));
    }

    private JsonNode charts() throws IOException {
        return new ObjectMapper().readTree(part("script"));
    }

    /** What the first such element holds. */
    private String part(final String element) {
        final Matcher matcher = CODE.matcher(page);
        while (matcher.find()) {
            if (matcher.group(2).equals(element)) {
                return matcher.group(3);
            }
        }
        throw new AssertionError("no " + element);
    }

    /** The page without its code, which XML does not understand. */
    private Document document() throws ParserConfigurationException, SAXException, IOException {
        final String markup = CODE.matcher(page).replaceAll("$1$4");
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(markup)));
    }

    private static List<String> elementsWith(final Document document, final String attribute) {
        final List<String> found = new ArrayList<>();
        for (int i = 0; i < document.getElementsByTagName("*").getLength(); i++) {
            final Element element = (Element) document.getElementsByTagName("*").item(i);
            if (element.hasAttribute(attribute)) {
                found.add(element.getTagName());
            }
        }
        return found;
    }
}
