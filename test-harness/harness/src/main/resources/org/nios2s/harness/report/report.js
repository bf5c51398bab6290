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
    const WHISKER = 4;
    /* Bars and their whiskers are laid out by the same numbers. */
    const BAR_LAYOUT = { barMaxWidth: 36, barGap: "30%", barCategoryGap: "20%" };

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
        return chart.series.flatMap((series) => series.points.flatMap((point) => [point.y, point.min, point.max]))
            .filter((value) => typeof value === "number");
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

    const spreads = (point) => typeof point.min === "number" && point.max > point.min;

    const named = (points, name) => points.find((point) => String(point.x) === name);

    function escaped(text) {
        const element = document.createElement("span");
        element.textContent = text;
        return element.innerHTML;
    }

    /* What stands in the box beside the pointer: a line for each series, with least and most where there are several values. */
    function told(chart, hovered) {
        const drawn = hovered.filter((each) => each.seriesType !== "custom");
        const lines = drawn.map((each) => {
            const points = chart.series[each.seriesIndex].points;
            // Of an axis with names, the index is that of the name.
            const point = (each.name ? named(points, each.name) : points[each.dataIndex]) || {};
            const spread = spreads(point) ? " (" + short(point.min) + " – " + short(point.max) + ")" : "";
            const amount = typeof point.y === "number" ? short(point.y) + spread + " " + chart.y.unit : "–";
            return each.marker + escaped(each.seriesName) + "&ensp;<b>" + escaped(amount) + "</b>";
        });
        return drawn.length > 0 ? [escaped(drawn[0].axisValueLabel), ...lines].join("<br>") : "";
    }

    /* A thin line from the least to the most at each bar or point of a series. */
    function whiskers(chart, palette, place) {
        const bars = chart.kind === "BAR";
        const data = chart.series[place.index].points
            .filter(spreads)
            .map((point) => [place.names.length > 0 ? place.names.indexOf(String(point.x)) : point.x, point.min, point.max]);
        function line(from, to) {
            return { type: "line", shape: { x1: from[0], y1: from[1], x2: to[0], y2: to[1] }, style: { stroke: palette.ink, lineWidth: 1.2 } };
        }
        return {
            type: "custom", data, silent: true, z: 3,
            encode: place.lies ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] },
            renderItem: (parameters, api) => {
                const shift = bars ? api.barLayout({ ...BAR_LAYOUT, count: chart.series.length })[place.index].offsetCenter : 0;
                const end = (value) => {
                    const at = api.coord(place.lies ? [value, api.value(0)] : [api.value(0), value]);
                    return place.lies ? [at[0], at[1] + shift] : [at[0] + shift, at[1]];
                };
                const across = (at) => (place.lies
                    ? line([at[0], at[1] - WHISKER], [at[0], at[1] + WHISKER])
                    : line([at[0] - WHISKER, at[1]], [at[0] + WHISKER, at[1]]));
                const least = end(api.value(1));
                const most = end(api.value(2));
                return { type: "group", children: [line(least, most), across(least), across(most)] };
            },
        };
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
                formatter: (hovered) => told(chart, hovered),
            },
            xAxis: lies ? amount : place,
            yAxis: lies ? { ...place, inverse: true } : amount,
            series: [...chart.series.map((series) => {
                const points = byName
                    ? names.map((name) => {
                        const point = named(series.points, name);
                        return point ? point.y : null;
                    })
                    : series.points.map((point) => [point.x, point.y]);
                const hue = color(series.name, palette);
                const many = series.points.length > POINTS_WITH_SYMBOLS;
                return {
                    name: series.name,
                    type: chart.kind === "BAR" ? "bar" : "line",
                    stack: stacked ? "all" : undefined,
                    ...BAR_LAYOUT,
                    showSymbol: !many,
                    symbol: "circle",
                    symbolSize: 4,
                    data: points,
                    itemStyle: { color: hue },
                    lineStyle: { color: hue, width: 1.8, type: dashed(series.name) ? "dashed" : "solid" },
                };
            }), ...chart.series.map((series, index) => whiskers(chart, palette, { index, names, lies }))],
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
