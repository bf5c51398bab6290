// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nios2s.harness.HarnessResource;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.Machine;

/**
 * The report as one page of HTML that loads nothing: style, scripts, the chart library and all data are in it. Stateless,
 * any thread.
 */
public final class HtmlReport {

    /** The usual name of a report's file. */
    public static final String FILE = "report.html";

    private static final String TEMPLATE = "report.html";
    private static final String STYLE = "report.css";
    private static final String SCRIPT = "report.js";
    private static final String CHART_LIBRARY = "/META-INF/resources/webjars/echarts/%s/echarts.common.min.js";
    private static final ObjectMapper JSON = JsonMapper.builder().build();

    private HtmlReport() {}

    /** The report of a result: the page. */
    public static String of(final ExperimentResult result) {
        final List<Chart> charts = new ArrayList<>(result.charts());
        charts.addAll(RunCharts.of(result.runs()));
        final Map<String, Object> context = new HashMap<>();
        context.put("page", ReportPage.of(result, charts));
        context.put("style", resource(STYLE));
        context.put("script", resource(SCRIPT));
        context.put(
                "chartLibrary",
                resource(CHART_LIBRARY.formatted(Machine.versionsOfBuild().get("ECharts"))));
        context.put("charts", json(charts));
        final Template template = Mustache.compiler().compile(resource(TEMPLATE));
        return template.execute(context);
    }

    /** Data inside a script element: nothing in it may end the element. */
    private static String json(final List<Chart> charts) {
        try {
            return JSON.writeValueAsString(charts).replace("<", "\\u003c");
        } catch (final JsonProcessingException e) {
            throw new IllegalStateException("Charts that cannot be written as JSON", e);
        }
    }

    private static String resource(final String name) {
        return HarnessResource.text(HtmlReport.class, name);
    }
}
