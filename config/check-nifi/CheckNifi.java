// SPDX-License-Identifier: Apache-2.0
import com.sun.source.util.JavacTask;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.tools.ToolProvider;

/**
 * Looks for each line of the listener's list of signatures in NiFi's sources or classes, as the compiler reads them: nothing is
 * built and nothing of NiFi runs. Arguments: the list, the path of sources or nothing, the class path.
 */
public class CheckNifi {
    private final JavacTask task;

    CheckNifi(final String sources, final String classPath) throws Exception {
        final Path file = Files.createTempDirectory("check-nifi").resolve("Empty.java");
        Files.writeString(file, "class Empty {}");
        final var compiler = ToolProvider.getSystemJavaCompiler();
        final var files = compiler.getStandardFileManager(null, null, null);
        task = (JavacTask) compiler.getTask(
                null,
                files,
                problem -> {},
                List.of("-proc:none", "-sourcepath", sources, "-classpath", classPath),
                null,
                files.getJavaFileObjects(file));
        task.analyze();
    }

    /** NiFi 2's own jars are for Java 21: an older compiler would call all that is in them missing. */
    private static final int OLDEST_JAVA = 21;

    public static void main(final String[] arguments) throws Exception {
        if (Runtime.version().feature() < OLDEST_JAVA) {
            System.err.println("check-nifi needs a JDK " + OLDEST_JAVA + " or newer, and JAVA_HOME names "
                    + Runtime.version().feature());
            System.exit(2);
        }
        final CheckNifi check = new CheckNifi(arguments[1], arguments[2]);
        final List<String> list = Files.readAllLines(Path.of(arguments[0]));
        final List<String> missing =
                list.stream().filter(line -> !check.isThere(line.split(" "))).toList();
        missing.forEach(line -> System.out.println("missing: " + line));
        System.out.println(list.size() + " signatures, " + missing.size() + " missing");
        if (!missing.isEmpty()) {
            System.exit(1);
        }
    }

    private boolean isThere(final String[] signature) {
        final TypeElement owner = task.getElements().getTypeElement(signature[1].replace('$', '.'));
        if (owner == null || signature.length == 2) {
            return owner != null;
        }
        final String kind = signature[0];
        if (kind.equals("interface") && !owner.getKind().isInterface()
                || kind.equals("method") && owner.getKind().isInterface()) {
            return false;
        }
        return task.getElements().getAllMembers(owner).stream()
                .anyMatch(member -> member.getSimpleName().contentEquals(signature[2])
                        && descriptor(member).equals(signature[3])
                        && !member.getModifiers().contains(Modifier.PRIVATE)
                        && member.getModifiers().contains(Modifier.STATIC) == kind.startsWith("static"));
    }

    private String descriptor(final Element member) {
        if (member instanceof final ExecutableElement method) {
            return method.getParameters().stream()
                            .map(parameter -> descriptor(parameter.asType()))
                            .collect(Collectors.joining("", "(", ")"))
                    + (member.getKind() == ElementKind.CONSTRUCTOR ? "V" : descriptor(method.getReturnType()));
        }
        return descriptor(member.asType());
    }

    private String descriptor(final TypeMirror generic) {
        final TypeMirror type = task.getTypes().erasure(generic);
        return switch (type.getKind()) {
            case BOOLEAN -> "Z";
            case BYTE -> "B";
            case SHORT -> "S";
            case INT -> "I";
            case LONG -> "J";
            case CHAR -> "C";
            case FLOAT -> "F";
            case DOUBLE -> "D";
            case VOID -> "V";
            case ARRAY -> "[" + descriptor(((ArrayType) type).getComponentType());
            case DECLARED -> "L"
                    + task.getElements()
                            .getBinaryName((TypeElement) ((DeclaredType) type).asElement())
                            .toString()
                            .replace('.', '/')
                    + ";";
            default -> "?" + type;
        };
    }
}
