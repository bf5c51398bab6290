// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An experiment: settings, and axes along which they vary. Rows are loads, columns are targets. Immutable; any thread.
 *
 * @param name    what results call it
 * @param about   what it is for, in a sentence
 * @param base    settings that hold everywhere
 * @param axes    what varies
 * @param metrics metrics that tell most, by key
 * @param thresholds   conditions that make the command fail
 * @param baseline settings of what the others are compared with; empty for the stock listener where there is one
 */
public record Experiment(
        String name,
        String about,
        Settings base,
        List<Axis> axes,
        List<String> metrics,
        List<String> thresholds,
        Map<String, String> baseline) {

    private static final int MAX_CELLS = 500;
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    /** Refuses two axes that would overwrite each other's settings. */
    public Experiment {
        axes = List.copyOf(axes);
        metrics = List.copyOf(metrics);
        thresholds = List.copyOf(thresholds);
        baseline = Map.copyOf(baseline);
        for (int first = 0; first < axes.size(); first++) {
            for (final Axis second : axes.subList(first + 1, axes.size())) {
                requireApart(axes.get(first), second);
            }
        }
    }

    /** An experiment that compares with the stock listener, if with anything. */
    public Experiment(
            final String name,
            final String about,
            final Settings base,
            final List<Axis> axes,
            final List<String> metrics,
            final List<String> thresholds) {
        this(name, about, base, axes, metrics, thresholds, Map.of());
    }

    private static void requireApart(final Axis one, final Axis other) {
        one.keys().stream().filter(other::changes).findFirst().ifPresent(key -> {
            throw new IllegalArgumentException(
                    "'%s' is changed by two axes, '%s' and '%s': one would make the other's names untrue; let one of them vary it"
                            .formatted(key, one.name(), other.name()));
        });
    }

    /**
     * One load on one target.
     *
     * @param row      what the load is called; empty when there is only one
     * @param column   what the target is called
     * @param settings all settings of both
     * @param metrics  metrics that tell most of this row, by key
     */
    public record Cell(String row, String column, Settings settings, List<String> metrics) {

        public Cell with(final Parameter parameter, final String value) {
            return new Cell(row, column, settings.with(parameter.key(), value), metrics);
        }
    }

    /**
     * One measurement.
     *
     * @param round from 1
     * @param cell  what is measured
     */
    public record Trial(int round, Cell cell) {}

    /** The same with a setting that the command line gives; refused where it would make the name of a situation untrue. */
    public Experiment with(final String key, final String value) {
        final List<Axis> fixed =
                axes.stream().map(axis -> axis.fixed(key, value)).toList();
        return new Experiment(name, about, base.with(key, value), fixed, metrics, thresholds, baseline);
    }

    /** The same, called otherwise. */
    public Experiment about(final String words) {
        return new Experiment(name, words, base, axes, metrics, thresholds, baseline);
    }

    /** The same with an axis of the command line, which replaces one of the same name or of the same setting. */
    public Experiment vary(final Axis axis) {
        final List<Axis> all = new ArrayList<>(axes);
        all.removeIf(each -> each.name().equals(axis.name()) || each.isAbout(axis.name()));
        all.add(axis);
        return new Experiment(name, about, base, all, metrics, thresholds, baseline);
    }

    public Experiment withThresholds(final List<String> more) {
        final List<String> all =
                Stream.concat(thresholds.stream(), more.stream()).toList();
        return new Experiment(name, about, base, axes, metrics, all, baseline);
    }

    /** A cell while its axes are gone through, and what must hold for it to be measured. */
    private record Draft(Cell cell, Map<String, String> only) {

        private boolean isPossible() {
            return only.entrySet().stream().allMatch(condition -> Parameter.find(condition.getKey())
                    .map(cell.settings()::text)
                    .filter(condition.getValue()::equals)
                    .isPresent());
        }
    }

    /** All cells, row by row; the message of an exception is fit for a user. */
    public List<Cell> cells() {
        List<Draft> drafts = List.of(new Draft(new Cell("", "", base, metrics), Map.of()));
        for (final Axis axis : axes) {
            final List<Draft> more = new ArrayList<>();
            for (final Draft draft : drafts) {
                axis.steps().forEach(step -> more.add(stepped(draft, axis, step)));
            }
            drafts = more;
        }
        final List<Cell> cells = drafts.stream()
                .filter(Draft::isPossible)
                .map(Draft::cell)
                .map(this::named)
                .toList();
        if (cells.isEmpty() || cells.size() > MAX_CELLS) {
            throw new IllegalArgumentException(
                    "%d combinations to measure; there must be 1 to %d".formatted(cells.size(), MAX_CELLS));
        }
        requireFound(drafts, cells);
        requireApart(cells);
        Settings.DEFAULTS.with(baseline);
        for (final Cell cell : cells) {
            cell.settings().requireEffect();
        }
        return cells;
    }

    /** Refuses conditions that nothing meets: what they are about would be left out, or compared with nothing. */
    private void requireFound(final List<Draft> drafts, final List<Cell> cells) {
        for (final Axis axis : axes) {
            for (final Axis.Step step : axis.steps()) {
                if (drafts.stream().noneMatch(draft -> new Draft(draft.cell(), step.only()).isPossible())) {
                    throw new IllegalArgumentException("'%s' of '%s' is never measured: nothing here has %s"
                            .formatted(step.label(), axis.name(), step.only()));
                }
            }
        }
        if (cells.size() > 1
                && !baseline.isEmpty()
                && cells.stream().noneMatch(cell -> cell.settings().agreesWith(baseline))) {
            throw new IllegalArgumentException(
                    "the baseline %s is nothing that is measured here: write a setting as the axis has it"
                            .formatted(baseline));
        }
    }

    /** Refuses two targets that are one: equal settings mean one NiFi, and nothing would be compared. */
    private static void requireApart(final List<Cell> cells) {
        final Map<List<Object>, Cell> first = new HashMap<>();
        for (final Cell cell : cells) {
            final Cell same = first.putIfAbsent(List.of(cell.row(), cell.settings()), cell);
            if (same != null) {
                throw new IllegalArgumentException(
                        "'%s' and '%s' are one NiFi under two names: 'measure --show same-twice' has one listener in two JVMs"
                                .formatted(same.column(), cell.column()));
            }
        }
    }

    /** A cell whose column no axis gave a name goes by its listener. */
    private Cell named(final Cell cell) {
        final String column = cell.column().isEmpty() ? base.text(Parameter.LISTENER) : cell.column();
        return new Cell(cell.row(), column, cell.settings(), cell.metrics());
    }

    /** The cells by row, each row with its columns in their order. */
    public Map<String, List<Cell>> rows() {
        return cells().stream().collect(Collectors.groupingBy(Cell::row, LinkedHashMap::new, Collectors.toList()));
    }

    /** How often every NiFi is started. */
    public int starts() {
        return Math.max(1, base.number(Parameter.STARTS));
    }

    /** The rounds that each start of a NiFi has. */
    public int roundsOfAStart() {
        return Math.max(1, base.number(Parameter.ROUNDS));
    }

    /** All measurements of all starts. */
    public List<Trial> trials() {
        return trials(starts() * roundsOfAStart());
    }

    /**
     * Whether a round goes in order, as 1, 4, 6 and 7 do, or backwards, as 2, 3, 5 and 8. With every second round one order would
     * have the earlier ones, and a server that only gets warmer would differ by its position.
     */
    public static boolean isForwards(final int round) {
        return Integer.bitCount(round - 1) % 2 == 0;
    }

    /** All measurements in so many rounds: A B, B A, B A, A B, and from row to row in turn. */
    public List<Trial> trials(final int rounds) {
        final List<Trial> trials = new ArrayList<>();
        final List<List<Cell>> rows = new ArrayList<>(rows().values());
        for (int round = 1; round <= rounds; round++) {
            for (int index = 0; index < rows.size(); index++) {
                // Row by row in turn, too: with a single round the columns still take turns at being first.
                final List<Cell> row = rows.get(index);
                final boolean forwards = isForwards(round) == (index % 2 == 0);
                for (final Cell cell : forwards ? row : row.reversed()) {
                    trials.add(new Trial(round, cell));
                }
            }
        }
        return trials;
    }

    private static Draft stepped(final Draft draft, final Axis axis, final Axis.Step step) {
        final boolean target = axis.isOfTarget();
        final Cell cell = draft.cell();
        final Map<String, String> only = new LinkedHashMap<>(draft.only());
        only.putAll(step.only());
        final Cell stepped = new Cell(
                target ? cell.row() : joined(cell.row(), label(axis, step)),
                target ? joined(cell.column(), label(axis, step)) : cell.column(),
                cell.settings().with(step.settings()),
                step.metrics().isEmpty() ? cell.metrics() : step.metrics());
        return new Draft(stepped, only);
    }

    /** A bare number says nothing without its setting. */
    private static String label(final Axis axis, final Axis.Step step) {
        final boolean bare = step.settings().size() == 1
                && step.label().equals(step.settings().get(axis.name()));
        final boolean saysEnough =
                axis.isOfTarget() && !NUMBER.matcher(step.label()).matches();
        if (bare && !saysEnough) {
            return axis.name() + " " + step.label();
        }
        return step.label();
    }

    private static String joined(final String before, final String label) {
        return before.isEmpty() ? label : before + ", " + label;
    }
}
