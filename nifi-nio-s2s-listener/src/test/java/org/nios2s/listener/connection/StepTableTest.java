// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.Mockito;

/** The table of steps in the Javadoc of {@link Step} against all step classes. Lives on the test's thread. */
class StepTableTest {
    private static final Path STEP = Path.of("src/main/java/org/nios2s/listener/connection/Step.java");
    private static final Pattern ROW =
            Pattern.compile("(?m)^ \\* (\\w+Step) +([A-Z_/]+) +([a-z/]+) +([a-z/]+) +([a-z/]+) +([A-Z_/]+)$");

    /** What the table says of a step; a cell with several values has them in the order of {@link #situations}. */
    private record Row(String timeout, String waits, String evictable, String needsPort, String endOfInput) {}

    private static Map<String, Row> table() throws IOException {
        final Map<String, Row> rows = new TreeMap<>();
        ROW.matcher(Files.readString(STEP))
                .results()
                .forEach(row -> rows.put(
                        row.group(1), new Row(row.group(2), row.group(3), row.group(4), row.group(5), row.group(6))));
        return rows;
    }

    private static List<Class<? extends Step>> stepClasses() {
        final List<Class<? extends Step>> classes = new ArrayList<>();
        for (final JavaClass found : new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("org.nios2s.listener")) {
            if (found.isAssignableTo(Step.class)
                    && !found.isInterface()
                    && !found.getModifiers().contains(JavaModifier.ABSTRACT)) {
                classes.add(found.reflect().asSubclass(Step.class));
            }
        }
        return classes;
    }

    /** @return the step as its constructor would not make it: its own code, and fields that are null */
    private static Step bare(final Class<? extends Step> type) {
        return mock(type, withSettings().stubOnly().defaultAnswer(Mockito.CALLS_REAL_METHODS));
    }

    /** @return the step in every situation that changes a cell */
    private static List<Step> situations(final Class<? extends Step> type) throws ReflectiveOperationException {
        return switch (type.getSimpleName()) {
            case "SendStep" -> {
                final Field turn = type.getDeclaredField("turn");
                yield inEach(type, turn, List.of(turn.getType().getEnumConstants()));
            }
            case "AwaitCommitStep" -> {
                final Field push = type.getDeclaredField("push");
                yield inEach(
                        type,
                        push,
                        List.of(
                                pushThatMayBeTakenBack(push.getType(), true),
                                pushThatMayBeTakenBack(push.getType(), false)));
            }
            default -> List.of(bare(type));
        };
    }

    private static List<Step> inEach(final Class<? extends Step> type, final Field field, final List<?> values)
            throws ReflectiveOperationException {
        field.setAccessible(true);
        final List<Step> steps = new ArrayList<>();
        for (final Object value : values) {
            final Step step = bare(type);
            field.set(step, value);
            steps.add(step);
        }
        return steps;
    }

    private static Object pushThatMayBeTakenBack(final Class<?> type, final boolean mayBe)
            throws ReflectiveOperationException {
        final Method method = type.getDeclaredMethod("mayBeTakenBack");
        method.setAccessible(true);
        final Object push = mock(type, withSettings().stubOnly());
        when(method.invoke(push)).thenReturn(mayBe);
        return push;
    }

    private static String cell(final List<Step> situations, final Function<Step, Object> property) {
        final Set<String> values = new LinkedHashSet<>();
        situations.forEach(step -> values.add(String.valueOf(property.apply(step))));
        return String.join("/", values).replace("true", "yes").replace("false", "no");
    }

    @Test
    @DisplayName("every step has a row, and every row a step")
    void isComplete() throws IOException {
        final Set<String> names =
                stepClasses().stream().map(Class::getSimpleName).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(names, table().keySet());
    }

    @ParameterizedTest
    @MethodSource("stepClasses")
    @DisplayName("a row says what its step does")
    void isTrue(final Class<? extends Step> type) throws Exception {
        final List<Step> situations = situations(type);
        final Row actual = new Row(
                cell(situations, Step::timeoutPolicy),
                cell(situations, Step::isWaiting),
                cell(situations, Step::isEvictable),
                cell(situations, Step::needsRunningPort),
                cell(situations, Step::endOfInput));
        assertEquals(table().get(type.getSimpleName()), actual);
    }

    @ParameterizedTest
    @MethodSource("stepClasses")
    @DisplayName("no step overrides what a step does by the mere name of a record component")
    void overridesByName(final Class<? extends Step> type) {
        final RecordComponent[] components = type.isRecord() ? type.getRecordComponents() : new RecordComponent[0];
        final List<String> overriding = Arrays.stream(components)
                .map(RecordComponent::getName)
                .filter(name -> Stream.of(Step.class, WaitingStep.class, TransactionStep.class)
                        .filter(kind -> kind.isAssignableFrom(type))
                        .flatMap(kind -> Arrays.stream(kind.getMethods()))
                        .anyMatch(method -> method.getName().equals(name) && method.getParameterCount() == 0))
                .toList();
        assertEquals(List.of(), overriding);
    }
}
