/* Draws the charts of the report. The page holds the data; nothing is loaded. */
(function () {
    "use strict";

    const charts = JSON.parse(document.getElementById("charts").textContent);
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const PALETTES = {
        light: {
            text: "#5b6773", line: "#dfe3e7", panel: "#ffffff", ink: "#17202a",
            known: { nio: "#0b7a75", stock: "#c2570c" },
            others: ["#3b5bdb", "#9c36b5", "#5c940d", "#c92a2a", "#1098ad", "#866118", "#495057", "#d6336c"],
        },
        dark: {
            text: "#9aa7b2", line: "#2d3740", panel: "#1a2128", ink: "#e7ebee",
            known: { nio: "#4fd1c5", stock: "#f6a04d" },
            others: ["#91a7ff", "#da77f2", "#a9e34b", "#ff8787", "#66d9e8", "#e9c46a", "#adb5bd", "#faa2c1"],
        },
    };
    const LOGARITHMIC_FROM = 20;
    const PRINT_WIDTH = 330;
    const PRINT_HEIGHT = 190;
    const LONG_LABEL = 14;
    const MOST_LETTERS = 36;
    const HEIGHT = 240;
    const BAR_HEIGHT = 26;
    const LABEL_WIDTH = 128;
    const LABEL_LETTERS = 15;
    const LABEL_LINE = 15;
    const POINTS_WITH_SYMBOLS = 10;

    const owner = (name) => name.replace(/ (p50|p90|p99|p99\.9)$/, "");
    const dashed = (name) => / p50$/.test(name);
    const owners = [];
    charts.forEach((chart) => chart.series.forEach((series) => {
        if (!owners.includes(owner(series.name))) {
            owners.push(owner(series.name));
        }
    }));

    function color(name, palette) {
        const of = owner(name);
        if (palette.known[of]) {
            return palette.known[of];
        }
        const unknown = owners.filter((each) => !palette.known[each]);
        return palette.others[unknown.indexOf(of) % palette.others.length];
    }

    function short(number) {
        const size = Math.abs(number);
        if (size >= 1e6) {
            return (number / 1e6).toLocaleString("en") + " M";
        }
        return number.toLocaleString("en", { maximumFractionDigits: size < 10 ? 2 : 1 });
    }

    function values(chart) {
        return chart.series.flatMap((series) => series.points.map((point) => point.y)).filter((y) => y !== null);
    }

    /* Stock and NIO may lie far apart in time, and both are to be seen. */
    function logarithmic(chart) {
        const positive = values(chart).filter((y) => y > 0);
        return chart.kind === "LINE" && chart.y.unit === "ms" && positive.length === values(chart).length
            && positive.length > 0 && Math.max(...positive) / Math.min(...positive) > LOGARITHMIC_FROM;
    }

    function categories(chart) {
        const names = [];
        chart.series.forEach((series) => series.points.forEach((point) => {
            const name = String(point.x);
            if (!names.includes(name)) {
                names.push(name);
            }
        }));
        return names;
    }

    /* Names that do not fit beside each other on a phone stand below each other. */
    function crowded(names) {
        const longest = Math.max(...names.map((name) => name.length));
        return longest > LONG_LABEL || longest * names.length > MOST_LETTERS;
    }

    function lying(chart) {
        return chart.kind === "BAR" && crowded(categories(chart));
    }

    function height(chart) {
        if (!lying(chart)) {
            return HEIGHT;
        }
        const names = categories(chart);
        const lines = Math.max(...names.map((name) => Math.ceil(name.length / LABEL_LETTERS)));
        return Math.max(HEIGHT, names.length * Math.max(BAR_HEIGHT, (lines + 1) * LABEL_LINE));
    }

    function option(chart, palette) {
        const byName = chart.kind === "BAR" || chart.series.some((s) => s.points.some((p) => typeof p.x === "string"));
        const names = byName ? categories(chart) : [];
        const lies = lying(chart);
        const stacked = chart.kind === "BAR" && chart.title.startsWith("Failures");
        const label = { color: palette.text, fontSize: 12, hideOverlap: true };
        const amount = {
            type: logarithmic(chart) ? "log" : "value",
            axisLabel: { ...label, formatter: short },
            splitLine: { lineStyle: { color: palette.line } },
            splitNumber: 4,
        };
        const place = byName
            ? {
                type: "category", data: names, axisTick: { show: false },
                axisLabel: { ...label, interval: lies ? 0 : "auto", width: lies ? LABEL_WIDTH : undefined, overflow: "break", lineHeight: LABEL_LINE },
                axisLine: { lineStyle: { color: palette.line } },
            }
            : {
                type: "value", min: 0, max: "dataMax", axisLabel: { ...label, formatter: short, showMaxLabel: false },
                splitLine: { show: false },
                axisLine: { lineStyle: { color: palette.line } },
            };
        return {
            animation: false,
            // By its name: widths are measured in a canvas, which inherits none and would leave too little room.
            textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
            // The last number of a lying chart stands half beyond its end.
            grid: { left: 10, right: lies ? 28 : 14, top: 12, bottom: 6, containLabel: true },
            tooltip: {
                trigger: "axis", confine: true, backgroundColor: palette.panel, borderColor: palette.line,
                textStyle: { color: palette.ink, fontSize: 12 },
                extraCssText: "white-space: normal; max-width: 300px;",
                valueFormatter: (value) => (value === null || value === undefined ? "–" : short(value) + " " + chart.y.unit),
            },
            xAxis: lies ? amount : place,
            yAxis: lies ? { ...place, inverse: true } : amount,
            series: chart.series.map((series) => {
                const points = byName
                    ? names.map((name) => {
                        const point = series.points.find((each) => String(each.x) === name);
                        return point ? point.y : null;
                    })
                    : series.points.map((point) => [point.x, point.y]);
                const hue = color(series.name, palette);
                const many = series.points.length > POINTS_WITH_SYMBOLS;
                return {
                    name: series.name,
                    type: chart.kind === "BAR" ? "bar" : "line",
                    stack: stacked ? "all" : undefined,
                    barMaxWidth: 36,
                    showSymbol: !many,
                    symbol: "circle",
                    symbolSize: 4,
                    data: points,
                    itemStyle: { color: hue },
                    lineStyle: { color: hue, width: 1.8, type: dashed(series.name) ? "dashed" : "solid" },
                };
            }),
        };
    }

    function legend(figure, chart, palette) {
        const list = figure.querySelector(".legend");
        list.replaceChildren();
        new Set(chart.series.map((series) => series.name)).forEach((name) => {
            const item = document.createElement("li");
            const hue = color(name, palette);
            item.innerHTML = chart.kind === "BAR"
                ? '<svg viewBox="0 0 18 10"><rect width="18" height="10" rx="2"/></svg>'
                : '<svg viewBox="0 0 18 10"><line x1="0" x2="18" y1="5" y2="5" stroke-width="2.5"/></svg>';
            const mark = item.querySelector("rect, line");
            mark.setAttribute("fill", hue);
            mark.setAttribute("stroke", hue);
            if (dashed(name)) {
                mark.setAttribute("stroke-dasharray", "5 3");
            }
            const text = document.createElement("span");
            text.textContent = name;
            item.append(text);
            list.append(item);
        });
    }

    const drawn = [];
    function draw(palette) {
        drawn.forEach((each) => {
            each.echart.setOption(option(each.chart, palette), { notMerge: true });
            legend(each.figure, each.chart, palette);
        });
    }
    const palette = () => (dark.matches ? PALETTES.dark : PALETTES.light);

    document.querySelectorAll(".chart").forEach((place) => {
        const chart = charts[Number(place.dataset.chart)];
        const figure = place.closest("figure");
        place.style.height = height(chart) + "px";
        // What lies along the lower edge then is the amount, which the words above the chart name.
        figure.querySelector(".axis.x").hidden = lying(chart);
        drawn.push({ chart, figure, place, echart: echarts.init(place, null, { renderer: "svg" }) });
    });
    draw(palette());
    dark.addEventListener("change", () => draw(palette()));
    window.addEventListener("resize", () => drawn.forEach((each) => each.echart.resize()));
    window.addEventListener("beforeprint", () => {
        drawn.forEach((each) => {
            each.place.style.height = Math.max(PRINT_HEIGHT, height(each.chart) - HEIGHT + PRINT_HEIGHT) + "px";
            each.echart.resize({ width: PRINT_WIDTH });
        });
        draw(PALETTES.light);
    });
    window.addEventListener("afterprint", () => {
        drawn.forEach((each) => {
            each.place.style.height = height(each.chart) + "px";
            each.echart.resize({ width: "auto" });
        });
        draw(palette());
    });
}());
